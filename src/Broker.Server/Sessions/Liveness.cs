using Broker.Transport;

namespace Broker.Server.Sessions;

/// <summary>
/// Whether a client is still there. One that has gone without a word is found by PINGs; traffic counts as an answer, so a busy client is
/// never asked. On the connection's loop unless said otherwise.
/// </summary>
internal sealed class Liveness(ClientChannel channel)
{
    // The first one comes soon and not at once for all that connected together.
    private const int FirstPingMilliseconds = 2000;
    private const int FirstPingSpread = 400;

    private LoopTimer? _timer;
    private Action? _tick;
    private bool _hasReceived;
    private int _pingsOut;
    private long _pingSent;
    private long _roundTrip;
    private long _lastActivity = channel.Loop.Group.CurrentTick;

    /// <summary>When something of it was handled last, in the loop's ticks. Any thread.</summary>
    internal long LastActivity => Volatile.Read(ref _lastActivity);

    /// <summary>How long an answer took; null before the first. Any thread.</summary>
    internal TimeSpan? RoundTrip => Volatile.Read(ref _roundTrip) is var took and not 0 ? Time.GetElapsedTime(0, took) : null;

    private TimeProvider Time => channel.Loop.Group.TimeProvider;

    /// <summary>The client is served from now on.</summary>
    internal void Begin()
    {
        // The first round trip there is: CONNECT answers it.
        PingSent();
        _tick = Tick;
        TimeSpan first = TimeSpan.FromMilliseconds(FirstPingMilliseconds + channel.Publisher.State.Next(FirstPingSpread));
        TimeSpan interval = channel.Server.Options.PingInterval;
        _timer = channel.Loop.StartTimer(first < interval ? first : interval, FirstTick);
    }

    internal void End() => _timer?.Cancel();

    /// <summary>It has sent something.</summary>
    internal void OnReceived() => _hasReceived = true;

    /// <summary>It has sent something that is handled.</summary>
    internal void OnActivity() => _lastActivity = channel.Loop.LastTick;

    /// <summary>It has sent a PONG, or something else that answers what it was sent.</summary>
    internal void OnAnswer()
    {
        // Not the answer to anything, when none was asked for.
        if (_pingSent != 0)
        {
            long took = Math.Max(1, Time.GetTimestamp() - _pingSent);
            Volatile.Write(ref _roundTrip, took);
            channel.Publisher.RoundTripNanoseconds = Time.GetElapsedTime(0, took).Ticks * TimeSpan.NanosecondsPerTick;
            _pingSent = 0;
        }
    }

    /// <summary>It has sent a PONG.</summary>
    internal void OnPong()
    {
        OnAnswer();
        _pingsOut = 0;
    }

    private void FirstTick()
    {
        _hasReceived = false;
        Tick();
    }

    private void Tick()
    {
        if (channel.IsEnded)
        {
            return;
        }

        // Who is not read cannot answer.
        if (_hasReceived || channel.Connection.IsReceivingPaused)
        {
            _pingsOut = 0;
        }
        else if (_pingsOut >= channel.Server.Options.PingMax)
        {
            channel.Server.Log.Stale(channel.Id, channel.RemoteEndPoint);
            channel.Fail("Stale Connection");
            return;
        }
        else
        {
            _pingsOut++;
            channel.Trace?.Out("PING");
            channel.Write("PING\r\n"u8);
            PingSent();
        }

        _hasReceived = false;
        _timer = channel.Loop.StartTimer(channel.Server.Options.PingInterval, _tick!);
    }

    private void PingSent() => _pingSent = Time.GetTimestamp();
}
