using System.Globalization;
using System.Text;
using Broker.Client;
using Broker.Protocol;

namespace Broker.Bridge;

/// <summary>
/// Requests messages from a JetStream consumer. Only one request is open at a time, for as many messages as there is
/// space for. The next request follows when these messages have arrived or the open request has ended.
/// </summary>
/// <remarks>Used on the connection's loop.</remarks>
internal sealed class ConsumerRequests<TConnection>
    where TConnection : struct, IPipelineConnection
{
    private const int NoResponders = 503;

    private const int ExpiresInTicks = 5;

    // For each message, the server also counts its subject and its acknowledgement subject. The largest possible
    // message must fit.
    private const int MostSubjects = 8 * 1024;

    // After this many ticks without any message or status, the server no longer has the request: it would have reported
    // that the request expired.
    private const int TimeoutTicks = 10;

    // After this many ticks, the server no longer has the request even if messages still arrive: these are answers to
    // the consumer waker. A server sends no status if it ends a request because nobody listens for its messages, for
    // example while a leaf node has no link.
    private const int MostTicks = 20;

    private readonly byte[] _nextSubject;
    private TConnection _connection;
    private string _inbox;
    private ConsumerWaker<TConnection> _waker;
    private long _number;
    private int _silentTicks;
    private int _ticks;

    // Whether a message has arrived since the last request.
    private bool _hasDelivered;

    /// <param name="nextSubject">The subject for requests.</param>
    /// <param name="inbox">The prefix of the reply subjects; the number of the request follows.</param>
    /// <param name="connection">The connection.</param>
    internal ConsumerRequests(string nextSubject, string inbox, TConnection connection)
    {
        _nextSubject = PipelineSubjects.Bytes(nextSubject);
        _inbox = inbox;
        _connection = connection;
        _waker = new ConsumerWaker<TConnection>(_nextSubject, inbox, connection);
    }

    /// <summary>How many messages of the open request have not arrived yet; 0 if no request is open.</summary>
    internal int Outstanding { get; private set; }

    /// <summary>For how many ticks a request has been open without any message.</summary>
    internal int TicksWithoutMessages { get; private set; }

    /// <summary>
    /// Whether the consumer does not exist any more, or may not exist: the route must look it up before the next
    /// request.
    /// </summary>
    internal bool IsConsumerMissing { get; private set; }

    /// <summary>Starts again with a new inbox. Messages of earlier requests will not arrive.</summary>
    internal void Restart(string inbox)
    {
        _inbox = inbox;
        _waker = new ConsumerWaker<TConnection>(_nextSubject, inbox, _connection);
        Outstanding = 0;
        IsConsumerMissing = false;
    }

    internal void OnMessage()
    {
        Outstanding = Math.Max(0, Outstanding - 1);
        _hasDelivered = true;
        _silentTicks = 0;
        TicksWithoutMessages = 0;
        _waker.Reset();
    }

    /// <summary>Handles a status: the end of a request, or an answer to the consumer waker's request.</summary>
    /// <param name="token">The last token of the subject.</param>
    /// <param name="headers">The headers with the status.</param>
    /// <returns>Whether the caller must send the next request.</returns>
    internal bool OnStatus(ReadOnlySpan<byte> token, ReadOnlySpan<byte> headers)
    {
        int status = HeaderBlock.Status(headers);
        if (!PipelineHeader.TryReadNumber(token, out long number))
        {
            _waker.OnStatus(token, status);
            return false;
        }

        // 404 means that there are no messages, and 408 that the request has expired. 409 has several reasons, most
        // often that the next message exceeds max_bytes.
        if (number != _number || status < 400)
        {
            return false;
        }

        Outstanding = 0;
        if (status == NoResponders || (status is 409 && headers.IndexOf("Consumer Deleted"u8) >= 0))
        {
            IsConsumerMissing = true;
            return false;
        }

        // After 408 the next request follows at once. After 409 it follows at once only if this request has delivered
        // messages, because otherwise requests could repeat without end.
        return status is 408 || (status is 409 && _hasDelivered);
    }

    /// <param name="isOpen">Whether a PULL program can take messages.</param>
    internal void Tick(bool isOpen)
    {
        // The consumer reports when a request has expired. Without a report, the consumer no longer exists, or its
        // status was lost.
        if (Outstanding > 0 && ++_silentTicks > TimeoutTicks)
        {
            Outstanding = 0;
            IsConsumerMissing = true;
        }

        if (++_ticks > MostTicks)
        {
            Outstanding = 0;
        }

        if (isOpen && Outstanding > 0)
        {
            _waker.Tick();
            TicksWithoutMessages++;
        }
        else
        {
            _waker.Reset();
        }
    }

    internal void Send(int messages, long bytes)
    {
        // Allocates a few strings for each window of messages.
        _number++;
        string expires = (ExpiresInTicks * 1_000_000_000L).ToString(CultureInfo.InvariantCulture);
        byte[] request = Encoding.ASCII.GetBytes($$"""{"batch":{{messages}},"max_bytes":{{Math.Max(bytes, _connection.MaxPayload + MostSubjects)}},"expires":{{expires}}}""");
        byte[] replyTo = Encoding.ASCII.GetBytes(string.Create(CultureInfo.InvariantCulture, $"{_inbox}.{_number}"));
        if (_connection.Publish(_nextSubject, replyTo, default, request) == PublishStatus.Accepted)
        {
            Outstanding = messages;
            _hasDelivered = false;
            _silentTicks = 0;
            _ticks = 0;
        }
    }
}
