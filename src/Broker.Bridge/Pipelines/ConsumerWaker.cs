namespace Broker.Bridge.Pipelines;

/// <summary>
/// Finds out whether a consumer has messages that it does not deliver though it was asked, and wakes it until it does. All on the connection's loop.
/// </summary>
/// <remarks>
/// A nats-server that was killed may remember messages as delivered and not acknowledged that are gone from the stream. Versions before 2.10
/// deliver those again before all others, find that they are gone, and go on to the next one only when something happens to the consumer, such
/// as another request; and <c>AckWait</c> later they begin anew. In a stream to which nobody publishes all else waits behind them.
/// </remarks>
internal sealed class ConsumerWaker<TWire>
    where TWire : struct, IPipelineWire
{
    // Silence of so many ticks is no reason to ask: there may be no messages.
    private const int PatienceInTicks = 2;

    // Requests that are sent together, each a step for the consumer; and how often at most between two ticks.
    private const int Together = 16;
    private const int MostWaves = 512;

    // If that brought nothing it is done again after twice as many ticks as the last time: a consumer may also wait for acknowledgements of others.
    private const int LongestPause = 64;

    private readonly byte[] _subject;
    private readonly byte[] _questionReply;
    private readonly byte[] _wakeReply;
    private TWire _wire;
    private int _ticksSilent;
    private int _nextTick;
    private int _pause;
    private int _wavesLeft;
    private int _unanswered;
    private bool _isAsked;

    /// <param name="subject">Where messages are asked for.</param>
    /// <param name="inbox">Where answers come, with <see cref="Question"/> or <see cref="Wake"/> behind it.</param>
    /// <param name="wire">The connection.</param>
    internal ConsumerWaker(byte[] subject, string inbox, TWire wire)
    {
        _subject = subject;
        _questionReply = PipelineSubjects.Bytes($"{inbox}.q");
        _wakeReply = PipelineSubjects.Bytes($"{inbox}.w");
        _wire = wire;
    }

    /// <summary>The last token of the subject of an answer to the question whether there are messages.</summary>
    internal static ReadOnlySpan<byte> Question => "q"u8;

    /// <summary>The last token of the subject of an answer to a request that is to wake the consumer.</summary>
    internal static ReadOnlySpan<byte> Wake => "w"u8;

    // Answered at once with 404 where there is none; where others have asked for more than there are, with 408.
    private static ReadOnlySpan<byte> HasAny => """{"batch":1,"no_wait":true}"""u8;

    // For a millisecond: its end is a step too.
    private static ReadOnlySpan<byte> One => """{"batch":1,"expires":1000000}"""u8;

    /// <summary>A message has come, or nothing is asked for.</summary>
    internal void Rest()
    {
        _ticksSilent = 0;
        _nextTick = 0;
        _pause = 0;
        _wavesLeft = 0;
        _unanswered = 0;
        _isAsked = false;
    }

    /// <summary>To be called at intervals while messages are asked for.</summary>
    internal void Tick()
    {
        if (++_ticksSilent < PatienceInTicks)
        {
            return;
        }

        // It did not say that there is none; where it takes the question for one more request it says nothing.
        bool hasSome = _isAsked;
        _isAsked = true;
        _wire.Publish(_subject, _questionReply, default, HasAny);
        if (hasSome)
        {
            Begin();
        }
    }

    /// <summary>An answer without a message.</summary>
    /// <param name="token">The last one of its subject.</param>
    /// <param name="status">What it says.</param>
    internal void OnStatus(ReadOnlySpan<byte> token, int status)
    {
        if (token.SequenceEqual(Question))
        {
            OnAnswer(status);
        }
        else if (_unanswered > 0 && --_unanswered == 0)
        {
            SendWave();
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
            _wavesLeft = 0;
        }
    }

    private void Begin()
    {
        if (_ticksSilent < _nextTick)
        {
            return;
        }

        _pause = Math.Clamp(2 * _pause, 1, LongestPause);
        _nextTick = _ticksSilent + _pause;
        _wavesLeft = MostWaves;
        SendWave();
    }

    private void SendWave()
    {
        if (_wavesLeft == 0)
        {
            return;
        }

        _wavesLeft--;
        _unanswered = Together;
        for (int i = 0; i < Together; i++)
        {
            _wire.Publish(_subject, _wakeReply, default, One);
        }
    }
}
