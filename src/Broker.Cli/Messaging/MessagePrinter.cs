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

        _lines.Write(HeaderText.Show(message.Headers.Span));
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

        HeaderText.WriteJson(json, message.Headers.Span);
        BodyText.WriteJson(json, "body", message.Body.Span);
        json.WriteEndObject();
    }
}
