using System.Buffers;
using System.Globalization;
using System.Text;
using Broker.Client;

namespace Broker.Testing;

/// <summary>A recorded message. Immutable, and valid for as long as the program keeps it.</summary>
public sealed class RecordedMessage
{
    private const int MostText = 200;

    // A body with other control characters is shown as bytes, because a terminal would interpret these characters.
    private static readonly SearchValues<char> NoText = SearchValues.Create([.. Enumerable.Range(0, 32).Select(c => (char)c).Except("\t\r\n"), '\x7f', '\ufffd']);

    private readonly Message _message;

    internal RecordedMessage(in Message message) => _message = message;

    /// <summary>The subject of the message.</summary>
    public string Subject => _message.Subject;

    /// <summary>The subject for replies. Null if no reply is expected.</summary>
    public string? ReplyTo => _message.ReplyTo;

    /// <summary>The body of the message, without the headers.</summary>
    public ReadOnlyMemory<byte> Body => _message.Body;

    /// <summary>The body as UTF-8 text.</summary>
    public string Text => Encoding.UTF8.GetString(Body.Span);

    /// <summary>The headers. Empty if the message has no headers.</summary>
    /// <exception cref="FormatException">The headers of the message are not a header block.</exception>
    public MessageHeaders Headers => new(_message.Headers.Span);

    /// <summary>
    /// Returns the subject and the beginning of the text, in the form that a failed expectation shows: <c>orders.new:
    /// 42 (reply to inbox.1)</c>.
    /// </summary>
    public override string ToString()
    {
        string text = Text;
        string body = text.AsSpan().ContainsAny(NoText)
            ? string.Create(CultureInfo.InvariantCulture, $"{Body.Length} bytes {Convert.ToHexString(Body.Span[..Math.Min(Body.Length, MostText / 2)])}")
            : text.Length <= MostText ? text
            : string.Create(CultureInfo.InvariantCulture, $"{text.AsSpan(0, MostText)}… ({text.Length} characters)");
        return $"{Subject}: {body}{(ReplyTo is { } reply ? $" (reply to {reply})" : "")}";
    }
}
