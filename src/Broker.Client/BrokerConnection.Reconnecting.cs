using System.Diagnostics;
using System.Net.Sockets;
using Broker.Client.Errors;
using Broker.Client.Handshake;
using Broker.Client.Servers;
using Broker.Client.Subscriptions;
using Broker.Transport;

namespace Broker.Client;

// Finding a server, the first and every later one. At most one search is under way, and none while a link is attached.
public sealed partial class BrokerConnection
{
    // A link that ended sooner than this was no success: a server that accepts and closes must not be dialled without a wait.
    private static readonly TimeSpan SoonLost = TimeSpan.FromSeconds(1);

    // What a callback may ask for at most: a timer of the runtime takes some 49 days.
    private static readonly TimeSpan LongestDelay = TimeSpan.FromDays(1);

    private long _attachedAt;
    private int _passesInVain;

    /// <summary>The handshake is done: the link takes over. On the loop.</summary>
    internal void Attach(Link link)
    {
        bool again;
        lock (_gate)
        {
            if (_state == ConnectionState.Closed)
            {
                link.Transport.Close();
                return;
            }

            // Handed over before anybody can write to the link: what others publish from now on comes behind.
            OutboundStage stage = link.Transport.ExternalStage;
            if (Subscriptions.Count != 0)
            {
                foreach (Subscription subscription in Subscriptions.ToArray().Where(s => !s.IsDraining))
                {
                    WriteSubscription(stage, subscription);
                }
            }

            WithdrawRequests();
            _kept.MoveTo(stage);
            link.Transport.FlushExternal();
            again = _state == ConnectionState.Reconnecting;
            _reconnects += again ? 1 : 0;
            _attachedAt = Stopwatch.GetTimestamp();
            _link = link;
            _state = ConnectionState.Connected;
        }

        _servers.Note(link.Address, refused: false);
        if (again)
        {
            Tell(Options.OnReconnected + Reconnected);
        }

        TellRoom();
    }

    /// <summary>The link in use is gone. On the loop.</summary>
    internal void Detach(Link link, CloseReason reason, Exception cause)
    {
        (BarrierCallback Callback, object? State)[] failed;
        bool wasClosed;
        lock (_gate)
        {
            // A close that is under way has taken the link out already.
            wasClosed = _state == ConnectionState.Closed;
            _lostBytes += link.Transport.PendingBytes;
            _lost += link.Transport.CountCertainlyUnsent().Messages;
            // Told as discarded, as what the loops have staged will be.
            link.Transport.FlushExternal();
            _link = null;
            failed = [.. _barriers.Select(b => (b.Callback, b.State))];
            _barriers.Clear();
            if (!wasClosed)
            {
                _state = ConnectionState.Reconnecting;
                _passesInVain = Stopwatch.GetElapsedTime(_attachedAt) < SoonLost ? _passesInVain + 1 : 0;
            }

            _settling = SettleAsync(link);
        }

        foreach ((BarrierCallback callback, object? state) in failed)
        {
            Answer(callback, state, false);
        }

        _requests.FailAll(cause);
        if (wasClosed)
        {
            return;
        }

        if (cause is AuthorizationException)
        {
            _servers.Note(link.Address, refused: true);
        }

        Tell(Options.OnDisconnected + Disconnected, cause);
        bool goOn = reason != CloseReason.Shutdown && Options.MaxReconnectAttempts != 0;
        _ = Task.Run(() => goOn ? ReconnectAsync() : EndAsync(quietly: false));
    }

    /// <summary>A server's INFO, at the handshake or later. On the loop.</summary>
    internal void TakeNews(Link link, ServerInfo info)
    {
        _maxPayload = link.MaxPayload;
        _headers = link.Headers;
        if (info.ConnectUrls is { Length: > 0 } urls && !link.IsInfoUnproved && _servers.Learn(link.Address, urls))
        {
            Tell(Options.OnServersLearnt + ServersLearnt, urls);
        }

        if (info.LameDuck)
        {
            Tell(Options.OnLameDuck + LameDuck);
        }
    }

    private async Task ConnectFirstAsync(CancellationToken cancellationToken)
    {
        Exception? last = null;
        for (int left = _servers.Count; left > 0 && _servers.Next() is { } address; left--)
        {
            try
            {
                await EstablishAsync(address, cancellationToken).ConfigureAwait(false);
                return;
            }
            catch (Exception e) when (IsFailedAttempt(e, cancellationToken))
            {
                last = e;
            }
        }

        if (!Options.RetryOnFirstConnect)
        {
            throw last!;
        }

        _passesInVain = 1;
        await SearchAsync(cancellationToken).ConfigureAwait(false);
    }

    // After a first connect that found nobody.
    private void SearchOn(Exception cause)
    {
        lock (_gate)
        {
            _state = ConnectionState.Reconnecting;
            _passesInVain = 1;

            // No server has said otherwise, and what is published meanwhile must not be refused for that.
            _headers = Options.Headers;
        }

        TellFailed(cause);
        _ = Task.Run(ReconnectAsync);
    }

    private void TellFailed(Exception cause)
    {
        if (Options.OnConnectFailed is not null)
        {
            Loop.Post(() => Tell(Options.OnConnectFailed, cause));
        }
    }

    private async Task ReconnectAsync()
    {
        try
        {
            // The next server's messages are counted from where those of the last one ended.
            await _settling.ConfigureAwait(false);
            await SearchAsync(_ending.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (_ending.IsCancellationRequested)
        {
            // Closed by its owner meanwhile, who sees to the rest.
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            // The attempts are used up, or something is beyond repair: it ends here, and says so.
            ReportFault(null, e);
            await EndAsync(quietly: false).ConfigureAwait(false);
        }
    }

    private async Task SearchAsync(CancellationToken cancellationToken)
    {
        Exception? last = null;
        int attempts = 0;
        while (true)
        {
            await Task.Delay(NextWait(), cancellationToken).ConfigureAwait(false);
            for (int left = _servers.Count; left > 0; left--)
            {
                if (Options.MaxReconnectAttempts >= 0 && attempts++ >= Options.MaxReconnectAttempts)
                {
                    throw new ConnectionLostException("No server was found in as many attempts as are allowed.", last);
                }

                ServerAddress address = _servers.Next()
                    ?? throw new ConnectionLostException("Every server has refused the credentials.", last);
                if (_state == ConnectionState.Reconnecting)
                {
                    Loop.Post(() => Tell(Options.OnReconnecting + Reconnecting, address.ToString()));
                }

                try
                {
                    await EstablishAsync(address, cancellationToken).ConfigureAwait(false);
                    return;
                }
                catch (Exception e) when (IsFailedAttempt(e, cancellationToken))
                {
                    last = e;
                    if (e is AuthorizationException)
                    {
                        _servers.Note(address, refused: true);
                    }

                    TellFailed(e);
                }
            }

            _passesInVain++;
        }
    }

    private static bool IsFailedAttempt(Exception e, CancellationToken cancellationToken)
        => e is not OutOfMemoryException && !cancellationToken.IsCancellationRequested;

    private TimeSpan NextWait()
    {
        if (Options.ReconnectDelay is { } delay)
        {
            TimeSpan given = delay(_passesInVain);
            return given < TimeSpan.Zero ? TimeSpan.Zero : given < LongestDelay ? given : LongestDelay;
        }

        double wait = _passesInVain == 0 ? 0
            : Math.Min(Options.ReconnectWait.TotalMilliseconds * Math.Pow(2, Math.Min(_passesInVain - 1, 30)), Options.MaxReconnectWait.TotalMilliseconds);
        return TimeSpan.FromMilliseconds(wait + (Random.Shared.NextDouble() * Options.ReconnectJitter.TotalMilliseconds));
    }

    private async Task EstablishAsync(ServerAddress address, CancellationToken cancellationToken)
    {
        var link = new Link(this, address);
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(Options.ConnectTimeout);
        try
        {
            await DialAsync(link, limit.Token).ConfigureAwait(false);
            await link.Established.WaitAsync(limit.Token).ConfigureAwait(false);
        }
        catch (Exception e)
        {
            if (!link.TryAbandon())
            {
                // It was established at the last moment, and is in use.
                return;
            }

            if (e is SocketException)
            {
                throw new ConnectionLostException($"The server cannot be reached: {e.Message} ({address})", e);
            }

            if (e is OperationCanceledException && !cancellationToken.IsCancellationRequested)
            {
                throw new TimeoutException($"The server did not answer in time. ({address})", e);
            }

            throw;
        }
    }

    private Task<Connection> DialAsync(Link link, CancellationToken cancellationToken)
        => Options.Dialer is { } dialer
            ? dialer.DialAsync(Loop, link, cancellationToken).AsTask()
            : Dialer.ConnectAsync(Loop, link.Address.EndPoint, link, cancellationToken);
}
