using System.Buffers.Text;
using System.Runtime.CompilerServices;
using Broker.Bridge.JetStream;
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

    private readonly PipelineLimits _limits;
    private readonly byte[] _subject;
    private readonly byte[] _replyTo;
    private readonly int _inboxLength;
    private readonly HeaderBuilder _headers;
    private readonly MessageQueue _queue;

    // Which of those that wait the stream has, from the first on: answers may come out of order when the leader changes.
    private readonly bool[] _stored;
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
        _stored = new bool[limits.Window];
        _wire = wire;
    }

    internal IngressCounters Counters { get; } = new();

    /// <summary>Messages that the stream had already when they were sent again.</summary>
    internal long Duplicates { get; private set; }

    /// <summary>Called when a message was refused and there is room again.</summary>
    internal Action? OnRoom { get; set; }

    /// <summary>Called when the stream has refused a message, with what it said.</summary>
    internal RefusalHandler? OnRefused { get; set; }

    internal delegate void RefusalHandler(ReadOnlySpan<byte> answer);

    /// <summary>Whether the stream is there.</summary>
    internal bool IsReady { get; set; }

    /// <summary>Takes a message, or says that there is no room for it now; then <see cref="OnRoom"/> tells when there is.</summary>
    internal bool TryAccept(ReadOnlySpan<byte> body, int frames)
    {
        if (!IsReady || _isHeld || !_wire.IsConnected || _queue.Count >= _stored.Length || _queue.Sent < _queue.Count
            || (!_queue.IsEmpty && _queue.Bytes + body.Length > _limits.WindowBytes))
        {
            _isWanted = true;
            return false;
        }

        if (body.Length + _headers.Bound > _wire.MaxPayload)
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
            case PublishAnswer.Refused:
                // It may be full, or have no leader: asked again at the next tick, and nothing new until then.
                _isHeld = true;
                OnRefused?.Invoke(body.IsEmpty ? headers : body);
                return;
            case PublishAnswer.Duplicate:
                Duplicates++;
                break;
        }

        _ticksWaited = 0;
        _stored[number % _stored.Length] = true;
        while (!_queue.IsEmpty && _stored[_first % _stored.Length])
        {
            _stored[_first % _stored.Length] = false;
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

        if (_isWanted && !_isHeld && IsReady && _queue.Sent == _queue.Count && _queue.Count < _stored.Length)
        {
            _isWanted = false;
            OnRoom?.Invoke();
        }
    }

    private bool SendNext()
    {
        long number = _first + _queue.Sent;
        ReadOnlySpan<byte> body = _queue.PeekUnsent(out MessageShape shape);
        if (_stored[number % _stored.Length])
        {
            _queue.MarkSent();
            return true;
        }

        Utf8Formatter.TryFormat(number, _replyTo.AsSpan(_inboxLength), out int digits);
        HeaderBuilder headers = _headers.Begin().Line(default, number);
        if (shape.Frames != 1)
        {
            headers.Line("Zmq-Frames: "u8, shape.Frames);
        }

        PublishStatus status = _wire.Publish(_subject, _replyTo.AsSpan(0, _inboxLength + digits), headers.Finish(), body);
        if (status != PublishStatus.Accepted)
        {
            return NotSent(status, number);
        }

        MarkSent(number);
        return true;
    }

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
            // The connection tells when it takes more, or when there is another server.
            return false;
        }

        // Another server than the one that it was accepted under: no stream of it takes the message any more.
        Counters.CountGivenUp();
        _queue.MarkSent();
        _stored[number % _stored.Length] = true;
        return true;
    }
}
