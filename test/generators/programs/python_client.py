"""Calls the demo with the client that openapi-generator made for Python, and prints what it received."""
import json
import os

import openapi_client
from openapi_client.models import SendNotificationBody, VerificationRequest

configuration = openapi_client.Configuration(host=os.environ["BASE_URL"] + "/v1")
configuration.access_token = os.environ["TOKEN"]
client = openapi_client.ApiClient(configuration)
verified = openapi_client.IdentityApi(client).verify_identity(
    VerificationRequest(citizen_id="demo-mary", family_name="Smith", birth_date="1981-04-25")
)
sent = openapi_client.NotificationsApi(client).send_notification(
    SendNotificationBody(
        citizen_id="demo-mary",
        subject="Permit ((number))",
        message="Your permit ((number)) is ready.",
        personalisation={"number": "2026/118"},
        reference=os.environ["REFERENCE"],
    )
)
documents = openapi_client.DocumentsApi(client)
listed = documents.list_documents(citizen_id="demo-mary")
file = documents.retrieve_document(listed.items[0].id)
with open(file, "rb") as content:
    document = content.read().decode()
os.remove(file)
print(
    json.dumps(
        {"decision": verified.decision, "status": sent.status, "notificationId": sent.id, "document": document}
    )
)
