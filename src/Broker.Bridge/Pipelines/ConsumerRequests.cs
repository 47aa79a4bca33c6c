using System.Globalization;
using System.Text;
using Broker.Client.Publishing;
using Broker.Protocol.Headers;

namespace Broker.Bridge.Pipelines;

/// <summary>What is asked of a consumer: one request at a time, for as many messages as there is room for, until they have come or it has ended.</summary>
/// <remarks>All on the connection's loop.</remarks>
internal sealed class ConsumerRequests<TWire>
    where TWire : struct, IPipelineWire
{
    private const int NobodyIsThere = 503;

    private const int ExpiresInTicks = 5;

    // Of each message the server counts its subject and the one for its acknowledgement too: the largest that there is has to fit.
    private const int MostSubjects = 8 * 1024;

    // When nothing has come for so long, not even that the request has expired, the server has none.
    private const int PatienceInTicks = 10;

    private readonly byte[] _nextSubject;
    private TWire _wire;
    private string _inbox;
    private ConsumerWaker<TWire> _waker;
    private long _number;
    private int _ticksSilent;

    // Whether a message has come since it asked last.
    private bool _isFruitful;

    /// <param name="nextSubject">Where messages are asked for.</param>
    /// <param name="inbox">Where they come, with the number of the request behind it.</param>
    /// <param name="wire">The connection.</param>
    internal ConsumerRequests(string nextSubject, string inbox, TWire wire)
    {
        _nextSubject = PipelineSubjects.Bytes(nextSubject);
        _inbox = inbox;
        _wire = wire;
        _waker = new ConsumerWaker<TWire>(_nextSubject, inbox, wire);
    }

    /// <summary>How many messages may still come of the request that is out; 0 where none is.</summary>
    internal int Outstanding { get; private set; }

    /// <summary>For how many ticks there were messages to be had and none came.</summary>
    internal int TicksWithoutMessages { get; private set; }

    /// <summary>Whether the consumer has gone, or may have: it is to be looked for before it is asked again.</summary>
    internal bool IsConsumerGone { get; private set; }

    /// <summary>There is another server, or the same with another inbox, and nothing of what was asked for will come.</summary>
    internal void Restart(string inbox)
    {
        _inbox = inbox;
        _waker = new ConsumerWaker<TWire>(_nextSubject, inbox, _wire);
        Outstanding = 0;
        IsConsumerGone = false;
    }

    internal void OnMessage()
    {
        Outstanding = Math.Max(0, Outstanding - 1);
        _isFruitful = true;
        _ticksSilent = 0;
        TicksWithoutMessages = 0;
        _waker.Rest();
    }

    /// <summary>How a request ended, or what the waker's was answered.</summary>
    /// <param name="token">The last one of its subject.</param>
    /// <param name="headers">What it says.</param>
    /// <returns>Whether it is time for the next one.</returns>
    internal bool OnStatus(ReadOnlySpan<byte> token, ReadOnlySpan<byte> headers)
    {
        int status = HeaderBlock.Status(headers);
        if (!PipelineHeader.TryReadNumber(token, out long number))
        {
            _waker.OnStatus(token, status);
            return false;
        }

        // 404, 408 and 409: no messages, expired, and much else, most often that the next message exceeds the bytes that were asked for.
        if (number != _number || status < 400)
        {
            return false;
        }

        Outstanding = 0;
        if (status is NobodyIsThere || (status is 409 && headers.IndexOf("Consumer Deleted"u8) >= 0))
        {
            IsConsumerGone = true;
            return false;
        }

        // What ends in another way is asked again at once only if it brought something, lest it go on without end.
        return status is 408 || (status is 409 && _isFruitful);
    }

    /// <param name="isOpen">Whether there is somebody to give messages to.</param>
    internal void Tick(bool isOpen)
    {
        // The consumer says when a request has expired; if it does not, it is not there any more, or was not heard.
        if (Outstanding > 0 && ++_ticksSilent > PatienceInTicks)
        {
            Outstanding = 0;
            IsConsumerGone = true;
        }

        if (isOpen && Outstanding > 0)
        {
            _waker.Tick();
            TicksWithoutMessages++;
        }
        else
        {
            _waker.Rest();
        }
    }

    internal void Ask(int messages, long bytes)
    {
        // A few strings for each window of messages.
        _number++;
        string expires = (ExpiresInTicks * 1_000_000_000L).ToString(CultureInfo.InvariantCulture);
        byte[] request = Encoding.ASCII.GetBytes($$"""{"batch":{{messages}},"max_bytes":{{Math.Max(bytes, _wire.MaxPayload + MostSubjects)}},"expires":{{expires}}}""");
        byte[] replyTo = Encoding.ASCII.GetBytes(string.Create(CultureInfo.InvariantCulture, $"{_inbox}.{_number}"));
        if (_wire.Publish(_nextSubject, replyTo, default, request) == PublishStatus.Accepted)
        {
            Outstanding = messages;
            _isFruitful = false;
            _ticksSilent = 0;
        }
    }
}
