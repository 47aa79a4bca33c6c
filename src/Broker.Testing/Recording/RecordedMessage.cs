using System.Buffers;
using System.Globalization;
using System.Text;
using Broker.Client;
using Broker.Client.Subscriptions;

namespace Broker.Testing.Recording;

/// <summary>A message as it came. Immutable, good for as long as it is kept.</summary>
public sealed class RecordedMessage
{
    private const int MostText = 200;

    // A body with other control characters is no text, and a terminal would do what they say.
    private static readonly SearchValues<char> NoText = SearchValues.Create([.. Enumerable.Range(0, 32).Select(c => (char)c).Except("\t\r\n"), '\x7f', '\ufffd']);

    private readonly Message _message;

    internal RecordedMessage(in Message message) => _message = message;

    /// <summary>The subject it was published to.</summary>
    public string Subject => _message.Subject;

    /// <summary>Where an answer is expected; null when none is.</summary>
    public string? ReplyTo => _message.ReplyTo;

    /// <summary>What follows the headers.</summary>
    public ReadOnlyMemory<byte> Body => _message.Body;

    /// <summary>The same as UTF-8 text.</summary>
    public string Text => Encoding.UTF8.GetString(Body.Span);

    /// <summary>The headers; none when there are none.</summary>
    /// <exception cref="FormatException">What it has is no header block.</exception>
    public MessageHeaders Headers => new(_message.Headers.Span);

    /// <summary>Subject and text, or the beginning of it, as failures show it: <c>orders.new: 42 (reply to inbox.1)</c>.</summary>
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
