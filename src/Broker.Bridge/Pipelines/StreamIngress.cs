using System.Diagnostics;
using System.Runtime.CompilerServices;
using Broker.Client;

namespace Broker.Bridge;

/// <summary>
/// Publishes messages to a stream and keeps each until the stream has stored it. At most one window of messages is
/// unanswered. Used on the connection's loop.
/// </summary>
internal sealed class StreamIngress<TConnection>
    where TConnection : struct, IPipelineConnection
{
    // If the oldest message has no answer for this many ticks, the message or its answer counts as lost, even if
    // answers to later messages arrive.
    private const int AckTimeoutTicks = 5;

    // The most bytes that a stream with file storage adds to a message.
    private const int StoredOverhead = 64;

    private readonly PipelineLimits _limits;
    private readonly byte[] _subject;
    private readonly byte[] _replyTo;
    private readonly int _inboxLength;
    private readonly HeaderBuilder _headers;
    private readonly PipelineQueue _queue;

    // The state of each kept message, indexed by its number: answers may arrive out of order when the leader changes.
    private readonly AckState[] _states;

    // The secret in the reply subject of each kept message. Whoever has seen one reply subject must not be able to
    // confirm other messages.
    private readonly ulong[] _secrets;
    private readonly SecretNumbers _random = new();
    private TConnection _connection;
    private long _first = 1;
    private long _highest;
    private int _unansweredTicks;
    private bool _isPaused;
    private bool _isWanted;

    /// <param name="subject">The subject of the pipeline, which belongs to the stream.</param>
    /// <param name="id">A name that no other ingress has or had.</param>
    /// <param name="stream">The name of the stream.</param>
    /// <param name="inbox">The prefix of the reply subjects; a <see cref="ReplyToken"/> follows.</param>
    /// <param name="connection">The connection.</param>
    /// <param name="pool">The chunk pool of the loop.</param>
    /// <param name="limits">The limits of the pipeline.</param>
    internal StreamIngress(string subject, string id, string stream, string inbox, TConnection connection, PipelineMemoryPool pool, PipelineLimits limits)
    {
        _limits = limits;
        _subject = PipelineSubjects.Bytes(subject);
        byte[] prefix = PipelineSubjects.Bytes(inbox + ".");
        _inboxLength = prefix.Length;
        _replyTo = new byte[_inboxLength + ReplyToken.Length];
        prefix.CopyTo(_replyTo, 0);
        _headers = new HeaderBuilder($"Nats-Expected-Stream: {stream}\r\nNats-Msg-Id: {id}-");
        _queue = new PipelineQueue(pool);
        _states = new AckState[limits.Window];
        _secrets = new ulong[limits.Window];
        _connection = connection;
    }

    internal IngressCounters Counters { get; } = new();

    /// <summary>Messages that were sent again although the stream had already stored them.</summary>
    internal long Duplicates { get; private set; }

    /// <summary>Called when there is capacity again after a message was refused.</summary>
    internal Action? OnRoom { get; set; }

    /// <summary>
    /// Called if the connected server can never accept a message. The message then waits for another server.
    /// </summary>
    internal Action<PublishStatus>? OnUnsendable { get; set; }

    /// <summary>Creates a span for each message while a listener collects spans; null for none.</summary>
    internal IngressSpans? Spans { get; init; }

    /// <summary>Called with the answer of the stream when it has refused a message.</summary>
    internal RefusalHandler? OnRefused { get; set; }

    /// <summary>
    /// Called with the answer of the stream when a message is given up because the stream will never store it.
    /// </summary>
    internal RefusalHandler? OnGivenUp { get; set; }

    /// <summary>The size limit of the stream in bytes. A single message that exceeds it is refused here.</summary>
    internal long MostBytes { get; init; } = long.MaxValue;

    internal delegate void RefusalHandler(ReadOnlySpan<byte> answer);

    /// <summary>Whether the stream exists.</summary>
    internal bool IsReady { get; set; }

    /// <summary>
    /// Accepts a message. Returns false if there is no capacity; <see cref="OnRoom"/> is called when there is capacity
    /// again.
    /// </summary>
    internal bool TryAccept(ReadOnlySpan<byte> body, int frames)
    {
        if (!IsReady || _isPaused || !_connection.IsConnected || _queue.Count >= _states.Length || _queue.Sent < _queue.Count
            || (!_queue.IsEmpty && _queue.Bytes + body.Length > _limits.WindowBytes))
        {
            _isWanted = true;
            return false;
        }

        int size = body.Length + _headers.Bound;
        if (size > _connection.MaxPayload || size + _subject.Length + StoredOverhead > MostBytes)
        {
            Counters.CountRefused();
            return true;
        }

        // The slot gets a new secret before the message is kept. The earlier secret may be known, and must not confirm
        // this message.
        _secrets[(_first + _queue.Count) % _secrets.Length] = _random.Next();
        _queue.Add(body, new MessageShape(frames));
        Counters.CountAccepted();
        SendNext();
        return true;
    }

    /// <summary>
    /// Handles a message to a reply subject. It is an answer of the stream only if its token has the right secret.
    /// </summary>
    /// <param name="token">The last token of the subject.</param>
    /// <param name="headers">The headers of the answer.</param>
    /// <param name="body">The body of the answer.</param>
    internal void OnAnswer(ReadOnlySpan<byte> token, ReadOnlySpan<byte> headers, ReadOnlySpan<byte> body)
    {
        if (ReplyToken.TryRead(token, out ulong secret, out uint slot) && slot < (uint)_secrets.Length && _secrets[slot] == secret)
        {
            // The kept messages have consecutive numbers, so each slot belongs to at most one of them.
            long after = ((long)slot - (_first % _secrets.Length) + _secrets.Length) % _secrets.Length;
            OnAnswer(_first + after, headers, body);
        }
    }

    /// <summary>Handles an answer of the stream.</summary>
    /// <param name="number">The number of the message.</param>
    /// <param name="headers">The headers of the answer.</param>
    /// <param name="body">The body of the answer.</param>
    internal void OnAnswer(long number, ReadOnlySpan<byte> headers, ReadOnlySpan<byte> body)
    {
        if (number < _first || number >= _first + _queue.Count)
        {
            return;
        }

        switch (PubAckParser.Parse(headers, body))
        {
            case PubAckStatus.NoStream:
                // Sends nothing more before the route has looked up and created the stream.
                IsReady = false;
                StateOf(number) |= AckState.Refused;
                OnRefused?.Invoke(body.IsEmpty ? headers : body);
                return;
            case PubAckStatus.NeverStored:
                // The message would block all following messages forever.
                Counters.CountGivenUp();
                OnGivenUp?.Invoke(body);
                break;
            case PubAckStatus.Refused:
                // The stream may be full or without a leader: the ingress publishes again at the next tick, and sends
                // nothing new until then.
                _isPaused = true;
                StateOf(number) |= AckState.Refused;
                OnRefused?.Invoke(body.IsEmpty ? headers : body);
                return;
            case PubAckStatus.Duplicate:
                Duplicates++;
                break;
        }

        StateOf(number) = AckState.Stored;
        while (!_queue.IsEmpty && StateOf(_first) == AckState.Stored)
        {
            _unansweredTicks = 0;
            StateOf(_first) = AckState.Unknown;
            _queue.RemoveFirst();
            _first++;
            Counters.CountAcknowledged(1);
        }

        Continue();
    }

    /// <summary>
    /// Called when a server is connected and the stream exists: publishes all unconfirmed messages again. The stream
    /// recognizes duplicates by the message id.
    /// </summary>
    internal void OnConnected() => SendAgain();

    /// <summary>Called when the connection accepts messages again.</summary>
    internal void OnWritable() => Continue();

    internal void Tick()
    {
        if (!IsReady || !_connection.IsConnected)
        {
            return;
        }

        _unansweredTicks = _queue.IsEmpty ? 0 : _unansweredTicks + 1;
        if (_isPaused || _unansweredTicks > AckTimeoutTicks)
        {
            SendAgain();
        }
        else
        {
            Continue();
        }
    }

    /// <summary>Releases all messages. Unconfirmed messages are lost, unless the stream has stored them.</summary>
    internal void Close() => _queue.Clear();

    private void SendAgain()
    {
        _unansweredTicks = 0;
        _isPaused = false;
        _queue.Rewind(0);
        Continue();
    }

    private void Continue()
    {
        while (!_isPaused && IsReady && _connection.IsConnected && _queue.Sent < _queue.Count && SendNext())
        {
        }

        if (_isWanted && !_isPaused && IsReady && _queue.Sent == _queue.Count && _queue.Count < _states.Length)
        {
            _isWanted = false;
            OnRoom?.Invoke();
        }
    }

    private bool SendNext()
    {
        long number = _first + _queue.Sent;
        ReadOnlySpan<byte> body = _queue.PeekUnsent(out MessageShape shape);
        ref AckState fate = ref StateOf(number);
        if (fate == AckState.Stored)
        {
            _queue.MarkSent();
            return true;
        }

        // The message was sent and not refused: the stream may have stored it and may have delivered it.
        bool perhapsStored =
            number <= _highest && (fate & (AckState.Refused | AckState.PerhapsStored)) != AckState.Refused;
        int slot = (int)(number % _secrets.Length);
        ReplyToken.Write(_replyTo.AsSpan(_inboxLength), _secrets[slot], slot);
        HeaderBuilder headers = _headers.Begin().Line(default, number);
        if (shape.Frames != 1)
        {
            headers.Line("Zmq-Frames: "u8, shape.Frames);
        }

        if (perhapsStored)
        {
            headers.Line("Zmq-Moved: "u8, 1);
        }

        // A message that is sent again gets no span.
        Activity? span = Spans is { HasListeners: true } && number > _highest
            ? Spans.Begin(headers, body.Length)
            : null;
        PublishStatus status =
            _connection.Publish(_subject, _replyTo, headers.Finish(), body);
        if (span is not null)
        {
            BridgeTracer.End(span, status);
        }

        if (status != PublishStatus.Accepted)
        {
            return NotSent(status, number);
        }

        fate = perhapsStored ? AckState.PerhapsStored : AckState.Unknown;
        MarkSent(number);
        return true;
    }

    private ref AckState StateOf(long number) => ref _states[number % _states.Length];

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

            // The connection notifies the ingress when it accepts messages again or when another server is connected.
            return false;
        }

        // The message was accepted while another server was connected. No stream of this server can store it.
        Counters.CountGivenUp();
        _queue.MarkSent();
        StateOf(number) = AckState.Stored;
        return true;
    }

    [Flags]
    private enum AckState : byte
    {
        /// <summary>The message was not sent, or it was not answered since it was first sent.</summary>
        Unknown = 0,

        /// <summary>The stream has stored the message, or the message was given up.</summary>
        Stored = 1,

        /// <summary>The stream has refused the last copy of the message.</summary>
        Refused = 2,

        /// <summary>The message was sent more than once, and a copy before the last copy was not answered.</summary>
        PerhapsStored = 4,
    }
}
