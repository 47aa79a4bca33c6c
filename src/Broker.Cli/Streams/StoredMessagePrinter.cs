using System.Globalization;
using System.Text;
using System.Text.Json;
using Broker.Cli.Messaging;
using Broker.Cli.Shell;
using Broker.Client.Streams;

namespace Broker.Cli.Streams;

/// <summary>Prints messages of a stream with their sequences and times.</summary>
/// <param name="shell">The streams of the command.</param>
/// <param name="form">The output format.</param>
internal sealed class StoredMessagePrinter(ShellStreams shell, OutputForm form)
{
    private readonly LineOutput _lines = new(shell);

    /// <summary>Returns a message without what its consumer adds.</summary>
    public static StoredMessage Stored(StreamMessage message)
        => new(message.Stream, message.Subject, message.Sequence, message.Time, message.Headers, message.Body);

    /// <summary>Prints a message that was read without a consumer.</summary>
    public void Print(StoredMessage message) => Print(message, static _ => { });

    /// <summary>Prints a message of a consumer.</summary>
    public void Print(StreamMessage message)
    {
        Print(Stored(message), json =>
        {
            json.WriteString("consumer", message.Consumer);
            json.WriteNumber("consumer_sequence", message.ConsumerSequence);
            json.WriteNumber("delivered", message.Delivered);
            json.WriteNumber("pending", message.Pending);
        });
    }

    public void Flush() => _lines.Flush();

    private void Print(StoredMessage message, Action<Utf8JsonWriter> writeMore)
    {
        switch (form)
        {
            case OutputForm.Json:
                ApiJson.Write(_lines, json =>
                {
                    WriteJson(json, message);
                    writeMore(json);
                });
                return;
            case OutputForm.Raw:
                _lines.Write(message.Body.Span);
                break;
            default:
                _lines.Write(string.Create(CultureInfo.InvariantCulture, $"{message.Sequence} {message.Time.ToUniversalTime():yyyy-MM-dd'T'HH:mm:ss'Z'} "));
                _lines.WriteHighlighted(BodyText.Show(Encoding.UTF8.GetBytes(message.Subject)));
                _lines.Write(" " + HeaderText.Show(message.Headers.Span));
                _lines.Write(form == OutputForm.Hex ? Convert.ToHexStringLower(message.Body.Span) : BodyText.Show(message.Body.Span));
                break;
        }

        _lines.EndLine();
    }

    private static void WriteJson(Utf8JsonWriter json, StoredMessage message)
    {
        json.Add("stream", message.Stream);
        json.Add("sequence", message.Sequence);
        json.Add("time", message.Time);
        json.Add("subject", message.Subject);
        HeaderText.WriteJson(json, message.Headers.Span);
        BodyText.WriteJson(json, "body", message.Body.Span);
    }
}
