using System.Text.Json;
using Broker.Cli.Shell;
using Broker.Client;

namespace Broker.Cli.Messaging;

/// <summary>Prints received messages to standard output.</summary>
/// <param name="shell">The streams of the command.</param>
/// <param name="form">The output format.</param>
/// <param name="withSubject">
/// Whether a line of text begins with the subject. The subject of a reply is a random inbox and would not help.
/// </param>
internal sealed class MessagePrinter(ShellStreams shell, OutputForm form, bool withSubject = true)
{
    private readonly LineOutput _lines = new(shell);

    public void Print(in Message message)
    {
        switch (form)
        {
            case OutputForm.Json:
                Message copy = message;
                _lines.WriteJson(json => WriteJson(json, in copy));
                break;
            case OutputForm.Raw:
                _lines.Write(message.Body.Span);
                break;
            default:
                PrintText(in message);
                break;
        }

        _lines.EndLine();
    }

    public void Flush() => _lines.Flush();

    private void PrintText(in Message message)
    {
        if (withSubject)
        {
            _lines.WriteHighlighted(BodyText.Show(message.SubjectBytes.Span));
            _lines.Write(" ");
        }

        if (!message.Headers.IsEmpty)
        {
            IEnumerable<string> headers = Headers(in message).Select(h => Show(h.Key) + ": " + Show(h.Value));
            _lines.Write("{" + string.Join(", ", headers) + "} ");
        }

        ReadOnlySpan<byte> body = message.Body.Span;
        _lines.Write(form == OutputForm.Hex ? Convert.ToHexStringLower(body) : BodyText.Show(body));
    }

    private static void WriteJson(Utf8JsonWriter json, in Message message)
    {
        json.WriteStartObject();
        BodyText.WriteJson(json, "subject", message.SubjectBytes.Span);
        if (message.ReplyTo is { } replyTo)
        {
            json.WriteString("reply_to", replyTo);
        }

        if (!message.Headers.IsEmpty)
        {
            json.WriteStartObject("headers");
            foreach (IGrouping<string, KeyValuePair<string, string>> byName in Headers(in message).GroupBy(h => h.Key, StringComparer.Ordinal))
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

        BodyText.WriteJson(json, "body", message.Body.Span);
        json.WriteEndObject();
    }

    private static string Show(string text) => BodyText.Show(System.Text.Encoding.UTF8.GetBytes(text));

    // An invalid header block is shown as no headers. The server forwards any block that begins with the version line.
    private static MessageHeaders Headers(in Message message)
    {
        try
        {
            return new MessageHeaders(message.Headers.Span);
        }
        catch (FormatException)
        {
            return [];
        }
    }
}
