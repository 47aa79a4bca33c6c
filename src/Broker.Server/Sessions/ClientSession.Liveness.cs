using Broker.Transport;

namespace Broker.Server.Sessions;

// A peer that has gone without a word is found by PINGs. Traffic counts as an answer, so a busy client is never asked.
internal sealed partial class ClientSession
{
    // The first one comes soon and not at once for all that connected together.
    private const int FirstPingMilliseconds = 2000;
    private const int FirstPingSpread = 400;

    private LoopTimer? _liveness;
    private Action? _tick;
    private bool _receivedSinceTick;
    private int _pingsOut;

    private void StartLiveness()
    {
        _tick = Tick;
        TimeSpan first = TimeSpan.FromMilliseconds(FirstPingMilliseconds + _state.Next(FirstPingSpread));
        _liveness = _loop.StartTimer(first < _server.Options.PingInterval ? first : _server.Options.PingInterval, FirstTick);
    }

    private void StopLiveness() => _liveness?.Cancel();

    private void FirstTick()
    {
        _receivedSinceTick = false;
        Tick();
    }

    private void Tick()
    {
        if (_ended)
        {
            return;
        }

        if (_receivedSinceTick)
        {
            _pingsOut = 0;
        }
        else if (_pingsOut >= _server.Options.PingMax)
        {
            _server.Log.Stale(Id, RemoteEndPoint);
            Fail("Stale Connection");
            return;
        }
        else
        {
            _pingsOut++;
            _trace?.Out("PING");
            Write("PING\r\n"u8);
            PingSent();
        }

        _receivedSinceTick = false;
        _liveness = _loop.StartTimer(_server.Options.PingInterval, _tick!);
    }

    private bool Ping()
    {
        _trace?.Out("PONG");
        Write("PONG\r\n"u8);
        return true;
    }

    private bool Pong()
    {
        PongReceived();
        _pingsOut = 0;
        return true;
    }
}
