using System.Buffers.Text;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using Broker.Bridge.JetStream;
using Broker.Bridge.Tracing;
using Broker.Client.Publishing;

namespace Broker.Bridge.Pipelines;

/// <summary>
/// Hands messages to a stream and keeps each until the stream has it. No more than a window are on their way. All on the connection's loop.
/// </summary>
internal sealed class StreamIngress<TWire>
    where TWire : struct, IPipelineWire
{
    // With an answer outstanding for so many ticks the publish, or its answer, is taken for lost.
    private const int PatienceInTicks = 5;

    private const int LongestNumber = 20;

    // What a stream in files adds to a message, at most.
    private const int StoredOverhead = 64;

    private readonly PipelineLimits _limits;
    private readonly byte[] _subject;
    private readonly byte[] _replyTo;
    private readonly int _inboxLength;
    private readonly HeaderBuilder _headers;
    private readonly MessageQueue _queue;

    // What is known of those that wait, each at its number: answers may come out of order when the leader changes.
    private readonly Fate[] _fates;
    private TWire _wire;
    private long _first = 1;
    private long _highest;
    private int _ticksWaited;
    private bool _isHeld;
    private bool _isWanted;

    /// <param name="subject">The pipeline's, which the stream has.</param>
    /// <param name="id">A name that no other ingress has or had.</param>
    /// <param name="stream">The stream's name.</param>
    /// <param name="inbox">Where answers come, with a number behind it.</param>
    /// <param name="wire">The connection.</param>
    /// <param name="pool">The loop's.</param>
    /// <param name="limits">What bounds it.</param>
    internal StreamIngress(string subject, string id, string stream, string inbox, TWire wire, ChunkPool pool, PipelineLimits limits)
    {
        _limits = limits;
        _subject = PipelineSubjects.Bytes(subject);
        byte[] prefix = PipelineSubjects.Bytes(inbox + ".");
        _inboxLength = prefix.Length;
        _replyTo = new byte[_inboxLength + LongestNumber];
        prefix.CopyTo(_replyTo, 0);
        _headers = new HeaderBuilder($"Nats-Expected-Stream: {stream}\r\nNats-Msg-Id: {id}-");
        _queue = new MessageQueue(pool);
        _fates = new Fate[limits.Window];
        _wire = wire;
    }

    internal IngressCounters Counters { get; } = new();

    /// <summary>Messages that the stream had already when they were sent again.</summary>
    internal long Duplicates { get; private set; }

    /// <summary>Called when a message was refused and there is room again.</summary>
    internal Action? OnRoom { get; set; }

    /// <summary>Called when the present server will not take a message at any time, which waits for another then.</summary>
    internal Action<PublishStatus>? OnUnsendable { get; set; }

    /// <summary>Makes a span for each message while somebody listens; null for none.</summary>
    internal IngressSpans? Spans { get; init; }

    /// <summary>Called when the stream has refused a message, with what it said.</summary>
    internal RefusalHandler? OnRefused { get; set; }

    /// <summary>Called when a message is given up since the stream will never take it, with what it said.</summary>
    internal RefusalHandler? OnGivenUp { get; set; }

    /// <summary>How many bytes the stream may hold: what exceeds that alone is refused here.</summary>
    internal long MostBytes { get; init; } = long.MaxValue;

    internal delegate void RefusalHandler(ReadOnlySpan<byte> answer);

    /// <summary>Whether the stream is there.</summary>
    internal bool IsReady { get; set; }

    /// <summary>Takes a message, or says that there is no room for it now; then <see cref="OnRoom"/> tells when there is.</summary>
    internal bool TryAccept(ReadOnlySpan<byte> body, int frames)
    {
        if (!IsReady || _isHeld || !_wire.IsConnected || _queue.Count >= _fates.Length || _queue.Sent < _queue.Count
            || (!_queue.IsEmpty && _queue.Bytes + body.Length > _limits.WindowBytes))
        {
            _isWanted = true;
            return false;
        }

        int size = body.Length + _headers.Bound;
        if (size > _wire.MaxPayload || size + _subject.Length + StoredOverhead > MostBytes)
        {
            Counters.CountRefused();
            return true;
        }

        _queue.Add(body, new MessageShape(frames));
        Counters.CountAccepted();
        SendNext();
        return true;
    }

    /// <summary>An answer of the stream.</summary>
    /// <param name="number">Which message it is about, from the subject.</param>
    /// <param name="headers">Of the answer.</param>
    /// <param name="body">Of the answer.</param>
    internal void OnAnswer(long number, ReadOnlySpan<byte> headers, ReadOnlySpan<byte> body)
    {
        if (number < _first || number >= _first + _queue.Count)
        {
            return;
        }

        switch (PublishAnswers.Read(headers, body))
        {
            case PublishAnswer.NoStream:
                // Nothing more before it has been looked for, and made.
                IsReady = false;
                FateOf(number) |= Fate.Refused;
                OnRefused?.Invoke(body.IsEmpty ? headers : body);
                return;
            case PublishAnswer.NeverStored:
                // It would hold up all others for good.
                Counters.CountGivenUp();
                OnGivenUp?.Invoke(body);
                break;
            case PublishAnswer.Refused:
                // It may be full, or have no leader: asked again at the next tick, and nothing new until then.
                _isHeld = true;
                FateOf(number) |= Fate.Refused;
                OnRefused?.Invoke(body.IsEmpty ? headers : body);
                return;
            case PublishAnswer.Duplicate:
                Duplicates++;
                break;
        }

        _ticksWaited = 0;
        FateOf(number) = Fate.Stored;
        while (!_queue.IsEmpty && FateOf(_first) == Fate.Stored)
        {
            FateOf(_first) = Fate.Unknown;
            _queue.RemoveFirst();
            _first++;
            Counters.CountAcknowledged(1);
        }

        Continue();
    }

    /// <summary>There is a server and the stream: sends again what it has not confirmed. It knows by the message's id what it has.</summary>
    internal void OnConnected() => SendAgain();

    /// <summary>The connection takes messages again.</summary>
    internal void OnWritable() => Continue();

    internal void Tick()
    {
        if (!IsReady || !_wire.IsConnected)
        {
            return;
        }

        _ticksWaited = _queue.IsEmpty ? 0 : _ticksWaited + 1;
        if (_isHeld || _ticksWaited > PatienceInTicks)
        {
            SendAgain();
        }
        else
        {
            Continue();
        }
    }

    /// <summary>The end; what the stream has not confirmed is lost, unless it has it all the same.</summary>
    internal void Close() => _queue.Clear();

    private void SendAgain()
    {
        _ticksWaited = 0;
        _isHeld = false;
        _queue.Rewind(0);
        Continue();
    }

    private void Continue()
    {
        while (!_isHeld && IsReady && _wire.IsConnected && _queue.Sent < _queue.Count && SendNext())
        {
        }

        if (_isWanted && !_isHeld && IsReady && _queue.Sent == _queue.Count && _queue.Count < _fates.Length)
        {
            _isWanted = false;
            OnRoom?.Invoke();
        }
    }

    private bool SendNext()
    {
        long number = _first + _queue.Sent;
        ReadOnlySpan<byte> body = _queue.PeekUnsent(out MessageShape shape);
        ref Fate fate = ref FateOf(number);
        if (fate == Fate.Stored)
        {
            _queue.MarkSent();
            return true;
        }

        // It was sent, and not refused: the stream may have it, and somebody may have had it of the stream.
        bool perhapsStored = number <= _highest && (fate & (Fate.Refused | Fate.PerhapsStored)) != Fate.Refused;
        Utf8Formatter.TryFormat(number, _replyTo.AsSpan(_inboxLength), out int digits);
        HeaderBuilder headers = _headers.Begin().Line(default, number);
        if (shape.Frames != 1)
        {
            headers.Line("Zmq-Frames: "u8, shape.Frames);
        }

        if (perhapsStored)
        {
            headers.Line("Zmq-Moved: "u8, 1);
        }

        // What is sent again is so without one.
        Activity? span = Spans is { IsHeard: true } && number > _highest ? Spans.Begin(headers, body.Length) : null;
        PublishStatus status = _wire.Publish(_subject, _replyTo.AsSpan(0, _inboxLength + digits), headers.Finish(), body);
        if (span is not null)
        {
            BridgeTracer.End(span, status);
        }

        if (status != PublishStatus.Accepted)
        {
            return NotSent(status, number);
        }

        fate = perhapsStored ? Fate.PerhapsStored : Fate.Unknown;
        MarkSent(number);
        return true;
    }

    private ref Fate FateOf(long number) => ref _fates[number % _fates.Length];

    private void MarkSent(long number)
    {
        _queue.MarkSent();
        Counters.CountPublished();
        if (number > _highest)
        {
            _highest = number;
        }
        else
        {
            Counters.CountResent(1);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool NotSent(PublishStatus status, long number)
    {
        if (status != PublishStatus.PayloadTooLarge)
        {
            if (status is PublishStatus.HeadersNotSupported or PublishStatus.SubjectTooLong)
            {
                OnUnsendable?.Invoke(status);
            }

            // The connection tells when it takes more, or when there is another server.
            return false;
        }

        // Another server than the one that it was accepted under: no stream of it takes the message any more.
        Counters.CountGivenUp();
        _queue.MarkSent();
        FateOf(number) = Fate.Stored;
        return true;
    }

    [Flags]
    private enum Fate : byte
    {
        /// <summary>It was not sent, or not answered since it was sent first.</summary>
        Unknown = 0,

        /// <summary>The stream has it, or it was given up.</summary>
        Stored = 1,

        /// <summary>The stream has refused what was sent last.</summary>
        Refused = 2,

        /// <summary>What was sent before the last time was not answered.</summary>
        PerhapsStored = 4,
    }
}
