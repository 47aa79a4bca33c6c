using System.Diagnostics;
using System.Text;

namespace Broker.Client.Subscriptions;

/// <summary>A message of one's own: it lies in one array that nobody else uses, and is good for as long as it is kept.</summary>
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

    /// <summary>The subject it was published to. Makes the text anew each time.</summary>
    public string Subject => Encoding.UTF8.GetString(SubjectBytes.Span);

    /// <summary>The same as bytes.</summary>
    public ReadOnlyMemory<byte> SubjectBytes => _bytes.AsMemory(0, _subjectEnd);

    /// <summary>Where an answer is expected; null when none is. Makes the text anew each time.</summary>
    public string? ReplyTo => ReplyToBytes.IsEmpty ? null : Encoding.UTF8.GetString(ReplyToBytes.Span);

    /// <summary>The same as bytes; empty when none is.</summary>
    public ReadOnlyMemory<byte> ReplyToBytes => _bytes.AsMemory(_subjectEnd, _replyEnd - _subjectEnd);

    /// <summary>The header block, to be read with <see cref="Broker.Protocol.Headers.HeaderBlock"/>; empty when there is none.</summary>
    public ReadOnlyMemory<byte> Headers => _bytes.AsMemory(_replyEnd, _headersEnd - _replyEnd);

    /// <summary>What follows the headers.</summary>
    public ReadOnlyMemory<byte> Body => _bytes.AsMemory(_headersEnd);

    /// <summary>The subscription it was delivered for.</summary>
    public Subscription Subscription { get; }

    /// <summary>What it counts in the limits of a queue, in bytes.</summary>
    internal int Size => _bytes?.Length ?? 0;

    /// <summary>Publishes an answer to <see cref="ReplyTo"/>.</summary>
    /// <param name="body">What. Copied before the return.</param>
    /// <param name="headers">A complete header block, or nothing.</param>
    /// <exception cref="InvalidOperationException">No answer is expected.</exception>
    /// <exception cref="ArgumentException">The headers are no block.</exception>
    /// <exception cref="Publishing.PublishRefusedException">It was not accepted.</exception>
    public void Respond(ReadOnlySpan<byte> body, ReadOnlySpan<byte> headers = default)
        => Subscription.Connection.Core.Respond(ReplyToBytes.Span, body, headers);

    /// <summary>
    /// Starts a span for what is done with the message, below the one that it was published in, and makes it current:
    /// <c>using Activity? span = message.StartActivity();</c>. Handlers, of values too, have theirs without being asked.
    /// </summary>
    /// <returns>Null when the connection has no <see cref="ClientOptions.Tracing"/>, or nobody listens to the spans.</returns>
    public Activity? StartActivity() => Subscription.Connection.Core.StartProcess(in this);
}
