namespace Broker.Bridge;

/// <summary>
/// Detects that a consumer has messages but does not deliver them, and sends requests to it until it does. Used on the
/// connection's loop.
/// </summary>
/// <remarks>
/// A nats-server that was killed may remember messages as delivered and not acknowledged although the stream has lost
/// them. Versions before 2.10 deliver these messages again before all others. They find that a message is lost, and go
/// on to the next one only when something happens to the consumer, such as another request. After each <c>AckWait</c>
/// they start again. All other messages wait behind the lost ones if nobody publishes to the stream.
/// </remarks>
internal sealed class ConsumerWaker<TConnection>
    where TConnection : struct, IPipelineConnection
{
    // For this many ticks without messages, the waker does nothing, because there may be no messages.
    private const int QuietTicks = 2;

    // The number of requests that are sent together, and the largest number of such groups between two ticks. Each
    // request is one step for the consumer.
    private const int BatchSize = 16;
    private const int MaxBatches = 512;

    // If the requests had no effect, they are repeated after twice as many ticks as the last time: the consumer may
    // also wait for other egresses' acknowledgements.
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

    /// <summary>The last token of the reply subject of the question whether the consumer has messages.</summary>
    internal static ReadOnlySpan<byte> Question => "q"u8;

    /// <summary>The last token of the reply subject of a request that wakes the consumer.</summary>
    internal static ReadOnlySpan<byte> Wake => "w"u8;

    // The server answers at once with 404 if there are no messages, and with 408 if other requests wait for more
    // messages than there are.
    private static ReadOnlySpan<byte> HasAny => """{"batch":1,"no_wait":true}"""u8;

    // This request expires after a millisecond, because its expiry is a step for the consumer, too.
    private static ReadOnlySpan<byte> One => """{"batch":1,"expires":1000000}"""u8;

    /// <summary>Resets the waker after a message has arrived or the request has ended.</summary>
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
