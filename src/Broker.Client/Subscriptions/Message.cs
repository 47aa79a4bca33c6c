using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Text;

namespace Broker.Client;

/// <summary>
/// An owned copy of a message. Its array is used by nobody else, so it stays valid for as long as the program keeps it.
/// </summary>
public readonly struct Message
{
    private readonly byte[]? _bytes;
    private readonly int _subjectEnd;
    private readonly int _replyEnd;
    private readonly int _headersEnd;

    internal Message(in MessageView view)
    {
        Subscription = view.Subscription;
        _subjectEnd = view.Subject.Length;
        _replyEnd = _subjectEnd + view.ReplyTo.Length;
        _headersEnd = _replyEnd + view.Headers.Length;
        _bytes = GC.AllocateUninitializedArray<byte>(_headersEnd + view.Body.Length);
        view.Subject.CopyTo(_bytes);
        view.ReplyTo.CopyTo(_bytes.AsSpan(_subjectEnd));
        view.Headers.CopyTo(_bytes.AsSpan(_replyEnd));
        view.Body.CopyTo(_bytes.AsSpan(_headersEnd));
    }

    /// <summary>The subject of the message. Each call creates a new string.</summary>
    public string Subject => Encoding.UTF8.GetString(SubjectBytes.Span);

    /// <summary>The subject of the message as bytes.</summary>
    public ReadOnlyMemory<byte> SubjectBytes => _bytes.AsMemory(0, _subjectEnd);

    /// <summary>The subject for replies. Null if no reply is expected. Each call creates a new string.</summary>
    public string? ReplyTo => ReplyToBytes.IsEmpty ? null : Encoding.UTF8.GetString(ReplyToBytes.Span);

    /// <summary>The subject for replies as bytes. Empty if no reply is expected.</summary>
    public ReadOnlyMemory<byte> ReplyToBytes => _bytes.AsMemory(_subjectEnd, _replyEnd - _subjectEnd);

    /// <summary>
    /// The headers: <c>message.Headers["name"]</c> is a value or null. They are also the received block of bytes, for
    /// programs that forward messages. Empty if there are no headers.
    /// </summary>
    public ReceivedHeaders Headers => new(_bytes.AsMemory(_replyEnd, _headersEnd - _replyEnd));

    /// <summary>The body of the message, without the headers.</summary>
    public ReadOnlyMemory<byte> Body => _bytes.AsMemory(_headersEnd);

    /// <summary>
    /// The body as text, decoded from UTF-8. Bytes that are not UTF-8 become U+FFFD. Each call creates a new string.
    /// </summary>
    /// <example>
    /// <code>
    /// nats.Subscribe("weather.>", message => Console.WriteLine($"{message.Subject}: {message.Text}"));
    /// </code>
    /// </example>
    public string Text => Encoding.UTF8.GetString(Body.Span);

    /// <summary>The subscription that received the message.</summary>
    public Subscription Subscription { get; }

    /// <summary>The size of the message for the limits of a queue, in bytes.</summary>
    internal int Size => _bytes?.Length ?? 0;

    /// <summary>Publishes a reply to <see cref="ReplyTo"/>.</summary>
    /// <param name="body">The body. It is copied before the method returns.</param>
    /// <param name="headers">A complete header block. Empty for none.</param>
    /// <exception cref="InvalidOperationException">The message has no reply subject.</exception>
    /// <exception cref="ArgumentException">The headers are not a header block.</exception>
    /// <exception cref="PublishRefusedException">The reply was refused.</exception>
    public void Respond(ReadOnlySpan<byte> body, ReadOnlySpan<byte> headers = default)
        => Subscription.Connection.Respond(ReplyToBytes.Span, body, headers);

    /// <summary>Publishes a text, as UTF-8, to <see cref="ReplyTo"/>.</summary>
    /// <param name="text">The text. It is written directly into the outbound buffer.</param>
    /// <param name="headers">A complete header block, or <see cref="MessageHeaders"/>. Empty for none.</param>
    /// <exception cref="InvalidOperationException">The message has no reply subject.</exception>
    /// <exception cref="ArgumentException">The headers are not a header block.</exception>
    /// <exception cref="PublishRefusedException">The reply was refused.</exception>
    /// <example>
    /// <code>
    /// nats.Subscribe("upper", message => message.Respond(message.Text.ToUpperInvariant()));
    /// </code>
    /// </example>
    [OverloadResolutionPriority(-1)]
    public void Respond(string text, ReadOnlySpan<byte> headers = default)
        => Subscription.Connection.Respond(ReplyToBytes.Span, new OutboundBody(text), headers);

    /// <summary>
    /// Returns the subject and the beginning of the body for logs and debuggers, such as <c>weather.oslo "4
    /// degrees"</c>. Control characters and bytes that are not UTF-8 are escaped, and the result is always short. It
    /// never contains headers, because these may be secrets.
    /// </summary>
    public override string ToString() => _bytes is null ? MessageText.None : MessageText.Of(SubjectBytes.Span, Body.Span);

    /// <summary>
    /// Starts a span for the processing of this message as a child of the span that published it, and makes the new
    /// span the current span: <c>using Activity? span = message.StartActivity();</c>. For handlers, including handlers
    /// of values, the connection does this itself.
    /// </summary>
    /// <returns>The span. Null if the connection does not use <see cref="ClientOptions.Tracing"/>, or if nobody listens
    /// to the spans.</returns>
    public Activity? StartActivity() => Subscription.Connection.StartProcess(in this);
}
