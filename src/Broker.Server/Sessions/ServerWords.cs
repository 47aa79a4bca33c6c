using System.Text.Json;
using Broker.Server.Tracing;

namespace Broker.Server.Sessions;

/// <summary>
/// What only servers say. nats-server hears it from clients all the same: an INFO passes if it is one, and anything else ends the
/// connection without a word.
/// </summary>
internal static class ServerWords
{
    internal static void HearInfo(ClientChannel client, ReadOnlySpan<byte> json)
    {
        if (!IsObjectOrNull(json))
        {
            End(client, "it said INFO without a JSON object", "Protocol Violation");
        }
    }

    internal static void HearError(ClientChannel client, ReadOnlySpan<byte> text)
        => End(client, $"it said -ERR {TraceText.Of(text)}", "Parser Error");

    private static void End(ClientChannel client, string why, string failure)
    {
        if (!client.IsEnded)
        {
            client.Server.Log.ProtocolError(client.Id, client.RemoteEndPoint, why);
            client.FailSilently(failure, ClientChannel.LastWords);
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
