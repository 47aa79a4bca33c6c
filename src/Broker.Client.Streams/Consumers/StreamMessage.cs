using System.Diagnostics;
using System.Globalization;
using System.Text;

namespace Broker.Client.Streams;

/// <summary>
/// A message that a consumer has delivered. It is an owned copy and stays valid. Acknowledge it when it is handled;
/// otherwise the server delivers it again after <see cref="ConsumerConfig.AckWait"/>.
/// </summary>
/// <remarks>
/// Up to about 8 KiB of small messages share an array, so a message that is kept for long keeps that much memory. The
/// methods may be called on any thread. An acknowledgement is written into the connection's outbound buffer, together
/// with others; the task has completed already unless that buffer is full.
/// </remarks>
public readonly struct StreamMessage
{
    private const int OnStack = 512;
    private const int NanosecondsPerTick = 100;

    private static readonly Version FirstWithReasons = new(2, 10, 4);

    private readonly MessageOrigin _origin;
    private readonly ReadOnlyMemory<byte> _subject;
    private readonly byte[] _bytes;
    private readonly int _start;
    private readonly MessageLengths _lengths;
    private readonly DeliveryNumbers _numbers;

    internal StreamMessage(MessageOrigin origin, ReadOnlyMemory<byte> subject, byte[] bytes, int start, MessageLengths lengths, int size, in DeliveryNumbers numbers)
    {
        _origin = origin;
        _subject = subject;
        _bytes = bytes;
        _start = start;
        _lengths = lengths;
        _numbers = numbers;
        Size = size;
    }

    /// <summary>The name of the stream.</summary>
    public string Stream => _origin.Stream;

    /// <summary>The name of the consumer.</summary>
    public string Consumer => _origin.Consumer;

    /// <summary>The subject of the message. Each call creates a new string.</summary>
    public string Subject => Encoding.UTF8.GetString(SubjectBytes.Span);

    /// <summary>The subject of the message as bytes.</summary>
    public ReadOnlyMemory<byte> SubjectBytes => _subject;

    /// <summary>
    /// The header block, for reading with <see cref="MessageHeaders"/> or <see cref="Broker.Protocol.HeaderBlock"/>.
    /// Empty for none.
    /// </summary>
    public ReadOnlyMemory<byte> Headers => _bytes.AsMemory(_start + _lengths.ReplyTo, _lengths.Headers);

    /// <summary>The body of the message, without the headers.</summary>
    public ReadOnlyMemory<byte> Body => _bytes.AsMemory(_start + _lengths.ReplyTo + _lengths.Headers, _lengths.Body);

    /// <summary>The sequence of the message in the stream.</summary>
    public ulong Sequence => _numbers.Sequence;

    /// <summary>The number of this delivery among those of the consumer.</summary>
    public ulong ConsumerSequence => _numbers.ConsumerSequence;

    /// <summary>How often the message has been delivered, including this time.</summary>
    public long Delivered => (long)_numbers.Delivered;

    /// <summary>The number of messages that the consumer had not delivered yet when it delivered this one.</summary>
    public ulong Pending => _numbers.Pending;

    /// <summary>When the stream stored the message, to 100 nanoseconds.</summary>
    public DateTimeOffset Time => DateTimeOffset.UnixEpoch.AddTicks((long)(_numbers.Time / NanosecondsPerTick));

    /// <summary>The size by which the server counts the message, in bytes.</summary>
    internal int Size { get; }

    /// <summary>Acknowledges the message: it is handled.</summary>
    /// <param name="cancellationToken">Ends the wait for space in the outbound buffer.</param>
    /// <exception cref="PublishRefusedException">The connection refused the acknowledgement.</exception>
    public ValueTask AckAsync(CancellationToken cancellationToken = default) => SendAsync("+ACK"u8, cancellationToken);

    /// <summary>Acknowledges the message and waits until the server has confirmed it.</summary>
    /// <param name="cancellationToken">Ends the wait. The server may have the acknowledgement nevertheless.</param>
    /// <exception cref="TimeoutException">The confirmation did not come within
    /// <see cref="StreamsOptions.RequestTimeout"/>.</exception>
    /// <exception cref="NoRespondersException">The consumer is gone.</exception>
    /// <exception cref="ConnectionLostException">No server is connected, or it was lost.</exception>
    public async Task AckAndConfirmAsync(CancellationToken cancellationToken = default)
    {
        await _origin.Connection.RequestAsync(ReplySubject(), "+ACK"u8.ToArray(), _origin.Timeout, default, cancellationToken).ConfigureAwait(false);
        _origin.Counters.Acknowledge("+ACK"u8);
    }

    /// <summary>Refuses the message: the server delivers it again.</summary>
    /// <param name="delay">How long the server waits. Null for no wait.</param>
    /// <param name="cancellationToken">Ends the wait for space in the outbound buffer.</param>
    /// <exception cref="PublishRefusedException">The connection refused the refusal.</exception>
    public ValueTask NakAsync(TimeSpan? delay = null, CancellationToken cancellationToken = default)
    {
        if (delay is not { } wait)
        {
            return SendAsync("-NAK"u8, cancellationToken);
        }

        ArgumentOutOfRangeException.ThrowIfLessThan(wait, TimeSpan.Zero, nameof(delay));
        return SendAsync(
            Encoding.UTF8.GetBytes(string.Create(CultureInfo.InvariantCulture, $"-NAK {{\"delay\": {wait.Ticks * NanosecondsPerTick}}}")), cancellationToken);
    }

    /// <summary>
    /// Reports that the message is being handled: the server waits for <see cref="ConsumerConfig.AckWait"/> from now
    /// on.
    /// </summary>
    /// <param name="cancellationToken">Ends the wait for space in the outbound buffer.</param>
    /// <exception cref="PublishRefusedException">The connection refused the report.</exception>
    public ValueTask InProgressAsync(CancellationToken cancellationToken = default) => SendAsync("+WPI"u8, cancellationToken);

    /// <summary>Gives the message up: the server does not deliver it again.</summary>
    /// <param name="reason">Why, for those who observe the server. Null for none. nats-server passes it on since
    /// 2.10.4; an older one does not get it, because it would not understand the message.</param>
    /// <param name="cancellationToken">Ends the wait for space in the outbound buffer.</param>
    /// <exception cref="PublishRefusedException">The connection refused it.</exception>
    public ValueTask TerminateAsync(string? reason = null, CancellationToken cancellationToken = default)
        => reason is null || !UnderstandsReasons(_origin.Connection) ? SendAsync("+TERM"u8, cancellationToken) : SendAsync(Encoding.UTF8.GetBytes($"+TERM {reason}"), cancellationToken);

    /// <summary>
    /// Starts a span for the handling of this message as a child of the span that published it, and makes the new span
    /// the current span: <c>using Activity? span = message.StartActivity();</c>.
    /// </summary>
    /// <returns>The span. Null without <see cref="StreamsOptions.Tracing"/>, and if nobody listens to the
    /// spans.</returns>
    public Activity? StartActivity()
        => _origin.Tracer is { HasListeners: true } tracer
            ? tracer.StartProcess(
                Subject,
                Headers.Span,
                Body.Length,
                new TagList { { StreamsTracer.StreamTag, Stream }, { "messaging.consumer.group.name", Consumer }, { "broker.delivered", Delivered } })
            : null;

    /// <summary>Sends without waiting. Returns false if the connection refused it.</summary>
    internal bool TrySend(ReadOnlySpan<byte> kind)
    {
        Span<byte> subject = stackalloc byte[OnStack];
        bool isSent = TryWriteReply(subject, out int length) && _origin.Connection.PublishWithStatus(subject[..length], kind) < PublishStatus.PendingLimit;
        if (isSent)
        {
            _origin.Counters.Acknowledge(kind);
        }

        return isSent;
    }

    private static bool UnderstandsReasons(BrokerConnection connection)
        => !Version.TryParse(connection.ServerInfo?.Version?.Split('-')[0], out Version? version) || version >= FirstWithReasons;

    private ValueTask SendAsync(ReadOnlySpan<byte> kind, CancellationToken cancellationToken)
        => TrySend(kind)
            ? ValueTask.CompletedTask
            : SendWhenPossibleAsync(kind.ToArray(), cancellationToken);

    private async ValueTask SendWhenPossibleAsync(byte[] kind, CancellationToken cancellationToken)
    {
        await _origin.Connection.PublishAsync(ReplySubject(), kind, cancellationToken: cancellationToken).ConfigureAwait(false);
        _origin.Counters.Acknowledge(kind);
    }

    private string ReplySubject()
    {
        byte[] subject = new byte[_lengths.ReplyTo + _origin.Prefix.Length + DeliveryNumbers.MaxLength];
        TryWriteReply(subject, out int length);
        return Encoding.UTF8.GetString(subject.AsSpan(0, length));
    }

    private bool TryWriteReply(Span<byte> destination, out int length)
    {
        length = 0;
        if (_lengths.ReplyTo > 0)
        {
            length = _lengths.ReplyTo;
            return _bytes.AsSpan(_start, length).TryCopyTo(destination);
        }

        if (_origin.Prefix.Length + DeliveryNumbers.MaxLength > destination.Length)
        {
            return false;
        }

        _origin.Prefix.CopyTo(destination);
        length = _origin.Prefix.Length + _numbers.Write(destination[_origin.Prefix.Length..]);
        return true;
    }
}
