"""Finding what answers a question: retrievers as plug-ins, and what makes hits of their rankings."""
