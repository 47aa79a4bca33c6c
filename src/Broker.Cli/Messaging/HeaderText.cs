using System.Text;
using System.Text.Json;
using Broker.Cli.Shell;
using Broker.Client;

namespace Broker.Cli.Messaging;

/// <summary>Shows the header block of a message.</summary>
internal static class HeaderText
{
    /// <summary>Returns the headers in braces and a space, or an empty text if there is no block.</summary>
    public static string Show(ReadOnlySpan<byte> block)
    {
        if (block.IsEmpty)
        {
            return "";
        }

        IEnumerable<string> headers = Read(block).Select(static h => Show(h.Key) + ": " + Show(h.Value));
        return "{" + string.Join(", ", headers) + "} ";
    }

    /// <summary>Writes the member <c>headers</c>, unless there is no block.</summary>
    public static void WriteJson(Utf8JsonWriter json, ReadOnlySpan<byte> block)
    {
        if (block.IsEmpty)
        {
            return;
        }

        json.WriteStartObject("headers");
        foreach (IGrouping<string, KeyValuePair<string, string>> byName in Read(block).GroupBy(static h => h.Key, StringComparer.Ordinal))
        {
            json.WriteStartArray(byName.Key);
            foreach (KeyValuePair<string, string> header in byName)
            {
                json.WriteStringValue(header.Value);
            }

            json.WriteEndArray();
        }

        json.WriteEndObject();
    }

    private static string Show(string text) => BodyText.Show(Encoding.UTF8.GetBytes(text));

    // An invalid header block is shown as no headers. The server forwards any block that begins with the version line.
    private static MessageHeaders Read(ReadOnlySpan<byte> block)
    {
        try
        {
            return new MessageHeaders(block);
        }
        catch (FormatException)
        {
            return [];
        }
    }
}
