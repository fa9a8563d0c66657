"""Contacts: which pairs of shapes can touch, where they do, and how rough they are."""

from stiction.contact.settings import ContactError, Contacts, Surface

__all__ = ["ContactError", "Contacts", "Surface"]
