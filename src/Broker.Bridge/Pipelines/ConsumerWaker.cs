namespace Broker.Bridge;

/// <summary>
/// Detects that a consumer has messages but does not deliver them, and sends requests to the consumer until it
/// delivers. Used on the connection's loop.
/// </summary>
/// <remarks>
/// A nats-server that was killed may remember messages as delivered and not acknowledged although the stream has lost
/// these messages. A server before version 2.10 tries to deliver the lost messages before all others. It skips one lost
/// message at each step of the consumer, and a step needs an event such as another request. After each <c>AckWait</c>
/// the server starts again with the first lost message. All other messages wait behind the lost ones if nobody
/// publishes to the stream.
/// </remarks>
internal sealed class ConsumerWaker<TConnection>
    where TConnection : struct, IPipelineConnection
{
    // For this many ticks without messages, the waker does nothing, because there may be no messages.
    private const int QuietTicks = 2;

    // The number of requests that are sent together, and the largest number of such batches until the next try. Each
    // request is one step of the consumer.
    private const int BatchSize = 16;
    private const int MaxBatches = 512;

    // If the requests had no effect, the next try follows after a pause, which doubles each time up to this number of
    // ticks. The cause may be another one: the consumer may wait for acknowledgements of other egresses.
    private const int LongestPause = 64;

    private readonly byte[] _subject;
    private readonly byte[] _questionReply;
    private readonly byte[] _wakeReply;
    private TConnection _connection;
    private int _silentTicks;
    private int _nextTick;
    private int _pause;
    private int _batchesLeft;
    private int _unanswered;
    private bool _isAsked;

    /// <param name="subject">The subject for requests.</param>
    /// <param name="inbox">
    /// The prefix of the reply subjects; <see cref="Question"/> or <see cref="Wake"/> follows.
    /// </param>
    /// <param name="connection">The connection.</param>
    internal ConsumerWaker(byte[] subject, string inbox, TConnection connection)
    {
        _subject = subject;
        _questionReply = PipelineSubjects.Bytes($"{inbox}.q");
        _wakeReply = PipelineSubjects.Bytes($"{inbox}.w");
        _connection = connection;
    }

    /// <summary>The last token of the reply subject for the question whether the consumer has messages.</summary>
    internal static ReadOnlySpan<byte> Question => "q"u8;

    /// <summary>The last token of the reply subject of a request that wakes the consumer.</summary>
    internal static ReadOnlySpan<byte> Wake => "w"u8;

    // The server answers at once with 404 if there are no messages, and with 408 if other requests wait for more
    // messages than there are.
    private static ReadOnlySpan<byte> HasAny => """{"batch":1,"no_wait":true}"""u8;

    // This request expires after a millisecond, because its expiry is one more step of the consumer.
    private static ReadOnlySpan<byte> One => """{"batch":1,"expires":1000000}"""u8;

    /// <summary>Resets the waker after a message has arrived or the open request has ended.</summary>
    internal void Reset()
    {
        _silentTicks = 0;
        _nextTick = 0;
        _pause = 0;
        _batchesLeft = 0;
        _unanswered = 0;
        _isAsked = false;
    }

    /// <summary>Must be called at intervals while a request is open.</summary>
    internal void Tick()
    {
        if (++_silentTicks < QuietTicks)
        {
            return;
        }

        // No answer means that there are messages: if the server treats the question as one more request, it sends no
        // answer.
        bool hasSome = _isAsked;
        _isAsked = true;
        _connection.Publish(_subject, _questionReply, default, HasAny);
        if (hasSome)
        {
            Begin();
        }
    }

    /// <summary>Handles a status without a message.</summary>
    /// <param name="token">The last token of the subject.</param>
    /// <param name="status">The status.</param>
    internal void OnStatus(ReadOnlySpan<byte> token, int status)
    {
        if (token.SequenceEqual(Question))
        {
            OnAnswer(status);
        }
        else if (_unanswered > 0 && --_unanswered == 0)
        {
            SendBatch();
        }
    }

    private void OnAnswer(int status)
    {
        if (status is 408 && _isAsked)
        {
            Begin();
        }
        else
        {
            _isAsked = false;
            _batchesLeft = 0;
        }
    }

    private void Begin()
    {
        if (_silentTicks < _nextTick)
        {
            return;
        }

        _pause = Math.Clamp(2 * _pause, 1, LongestPause);
        _nextTick = _silentTicks + _pause;
        _batchesLeft = MaxBatches;
        SendBatch();
    }

    private void SendBatch()
    {
        if (_batchesLeft == 0)
        {
            return;
        }

        _batchesLeft--;
        _unanswered = BatchSize;
        for (int i = 0; i < BatchSize; i++)
        {
            _connection.Publish(_subject, _wakeReply, default, One);
        }
    }
}
