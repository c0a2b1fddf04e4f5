"""Answers questions: retrievers as plug-ins, and the fusion of their rankings into hits."""
