using Broker.Transport;

namespace Broker.Server;

/// <summary>
/// Detects lost connections by PINGs. Any received byte counts as an answer, even a byte of an incomplete operation. So
/// a busy client receives no PING. Runs on the connection's loop unless a member states otherwise.
/// </summary>
internal sealed class Liveness(ClientChannel channel)
{
    // The first PING comes early, and at different times for clients that connected at the same time.
    private const int FirstPingMilliseconds = 2000;
    private const int FirstPingSpread = 400;

    private LoopTimer? _timer;
    private Action? _tick;
    private long _received;
    private int _pingsOut;
    private long _pingSent;
    private long _roundTrip;
    private long _lastActivity = channel.Loop.Group.CurrentTick;

    /// <summary>The tick of the loop when an operation of the client was handled last. Thread-safe.</summary>
    internal long LastActivity => Volatile.Read(ref _lastActivity);

    /// <summary>The last measured round-trip time; null before the first measurement. Thread-safe.</summary>
    internal TimeSpan? RoundTrip
        => Volatile.Read(ref _roundTrip) is var took and not 0 ? Time.GetElapsedTime(0, took) : null;

    private TimeProvider Time => channel.Loop.Group.TimeProvider;

    /// <summary>Starts the PING timer when the client protocol begins.</summary>
    internal void Begin()
    {
        // The first round trip is measured from INFO to CONNECT.
        PingSent();
        _tick = Tick;
        var first = TimeSpan.FromMilliseconds(
            FirstPingMilliseconds + channel.Publisher.State.Next(FirstPingSpread));
        TimeSpan interval = channel.Server.Options.PingInterval;
        _timer = channel.Loop.StartTimer(first < interval ? first : interval, FirstTick);
    }

    internal void End() => _timer?.Cancel();

    /// <summary>Called when operations of an authenticated client are handled.</summary>
    internal void OnActivity() => _lastActivity = channel.Loop.LastTick;

    /// <summary>Called for a PONG or for another answer, such as CONNECT after INFO.</summary>
    internal void OnAnswer()
    {
        // A PONG without a PING measures nothing.
        if (_pingSent != 0)
        {
            long took = Math.Max(1, Time.GetTimestamp() - _pingSent);
            Volatile.Write(ref _roundTrip, took);
            channel.Publisher.RoundTripNanoseconds = Time.GetElapsedTime(0, took).Ticks * TimeSpan.NanosecondsPerTick;
            _pingSent = 0;
        }
    }

    /// <summary>Called when the client has sent a PONG.</summary>
    internal void OnPong()
    {
        OnAnswer();
        _pingsOut = 0;
    }

    private void FirstTick()
    {
        _received = channel.Connection.ReceivedBytes;
        Tick();
    }

    private void Tick()
    {
        if (channel.IsEnded)
        {
            return;
        }

        // A client that the server does not read from cannot answer.
        long received = channel.Connection.ReceivedBytes;
        if (received != _received || channel.Connection.IsReceivingPaused || channel.Connection.IsWaitingForMemory)
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

        _received = received;
        _timer = channel.Loop.StartTimer(channel.Server.Options.PingInterval, _tick!);
    }

    private void PingSent() => _pingSent = Time.GetTimestamp();
}
