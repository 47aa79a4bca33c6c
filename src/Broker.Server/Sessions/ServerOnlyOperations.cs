using System.Text.Json;

namespace Broker.Server;

/// <summary>
/// Handles operations that only servers may send, in the same way as nats-server: a valid INFO from a client is
/// ignored, and an invalid INFO or an <c>-ERR</c> closes the connection without an error message.
/// </summary>
internal static class ServerOnlyOperations
{
    internal static void OnInfo(ClientChannel client, ReadOnlySpan<byte> json)
    {
        if (!IsObjectOrNull(json))
        {
            CloseSilently(client, "it sent INFO without a JSON object", "Protocol Violation");
        }
    }

    internal static void OnError(ClientChannel client, ReadOnlySpan<byte> text)
        => CloseSilently(client, $"it sent -ERR {TraceText.Of(text)}", "Parser Error");

    private static void CloseSilently(ClientChannel client, string why, string failure)
    {
        if (!client.IsEnded)
        {
            client.Server.Log.ProtocolError(client.Id, client.RemoteEndPoint, why);
            client.CloseSilently(failure, ClientChannel.CloseLinger);
        }
    }

    private static bool IsObjectOrNull(ReadOnlySpan<byte> json)
    {
        try
        {
            var reader = new Utf8JsonReader(json);
            bool may = reader.Read() && reader.TokenType is JsonTokenType.StartObject or JsonTokenType.Null;
            while (may && reader.Read())
            {
            }

            return may;
        }
        catch (JsonException)
        {
            return false;
        }
    }
}
