"""Terraform and other HCL."""
