using Broker.Transport;

namespace Broker.Client;

/// <summary>
/// Connects to a server, at first and after each loss, and makes it the current server. At most one search for a server
/// runs at a time, and none runs while a server is connected.
/// </summary>
internal sealed class Connector
{
    private readonly ConnectionCore _core;
    private readonly ServerPool _servers;
    private readonly ServerDialer _dialer;
    private readonly SearchPauses _pauses;

    // Completed when a server is connected. Null if nobody waits. Used under the gate.
    private TaskCompletionSource? _serverAwaited;

    internal Connector(ConnectionCore core)
    {
        _core = core;
        _servers = new ServerPool(core.Options.Servers, core.Options.RetryRefused, core.Options.ShuffleServers);
        _dialer = new ServerDialer(core);
        _pauses = new SearchPauses(core.Options, core.Events);
    }

    /// <summary>The number of times that a server was found after a loss. Used under the gate.</summary>
    internal long Reconnects { get; private set; }

    private ClientOptions Options => _core.Options;

    /// <summary>Makes a link whose handshake is done the current link. Called on the loop.</summary>
    internal void Attach(Link link)
    {
        bool again;
        List<RefusedCommand>? refused;
        lock (_core.Gate)
        {
            if (_core.State == ConnectionState.Closed)
            {
                link.Transport.Close();
                return;
            }

            // These bytes are flushed before any thread can write to the link, so later publishes come after them.
            LoopWriteBuffer buffer = link.Transport.ExternalWriteBuffer;
            _core.Requester.Refusals.ForgetInbox();
            _core.Subscriber.ResubscribeAll(buffer);
            refused = _core.ReconnectBuffer.MoveTo(buffer, link.MaxPayload, link.Headers);
            link.Transport.FlushExternal();
            again = _core.State == ConnectionState.Reconnecting;
            Reconnects += again ? 1 : 0;
            _pauses.OnConnected();
            _core.Link = link;
            _core.State = ConnectionState.Connected;
            _serverAwaited?.TrySetResult();
            _serverAwaited = null;
        }

        _servers.RecordAttempt(link.Address, refused: false);
        if (again)
        {
            _core.Events.RaiseReconnected();
        }

        foreach (RefusedCommand command in refused ?? [])
        {
            Refuse(command);
        }

        _core.Writable.NotifyIfRequested();
    }

    // The caller of a request still waits and gets the error. The callers of other messages have not waited.
    private void Refuse(RefusedCommand command)
    {
        PublishRefusedException refusal = _core.Publisher.CreateRefusal(command.Status, command.Payload);
        if (command.Request == 0 || !_core.Requester.TryFail(command.Request, refusal))
        {
            _core.Events.ReportRefused(refusal);
        }
    }

    /// <summary>Completes when a server is connected. Called under the gate.</summary>
    internal Task WhenConnectedAsync() => _core.Link is null ? WhenNextConnectedAsync() : Task.CompletedTask;

    /// <summary>Completes when another server than the current one is connected. Called under the gate.</summary>
    internal Task WhenNextConnectedAsync()
        => (_serverAwaited ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).Task;

    /// <summary>Reacts to the loss of the current link. Called on the loop.</summary>
    internal void Detach(Link link, CloseReason reason, Exception cause)
    {
        List<(BarrierCallback Callback, object? State)> failed;
        bool wasClosed;
        lock (_core.Gate)
        {
            // A running close has already removed the link.
            wasClosed = _core.State == ConnectionState.Closed;
            _core.Accounting.Settle(link);
            _core.Link = null;
            failed = _core.Barriers.RemovePending();
            if (!wasClosed)
            {
                _core.State = ConnectionState.Reconnecting;
                _pauses.OnLost();
            }
        }

        _core.Barriers.Fail(failed);
        _core.Requester.FailAll(cause);
        if (wasClosed)
        {
            return;
        }

        if (cause is AuthorizationException)
        {
            _servers.RecordAttempt(link.Address, refused: true);
        }

        _core.Events.RaiseDisconnected(cause);
        bool goOn = reason != CloseReason.Shutdown && Options.MaxReconnectAttempts != 0;
        _ = Task.Run(() => goOn ? ReconnectAsync() : _core.Lifecycle.EndAsync(quietly: false, cause));
    }

    /// <summary>Reads the INFO of a server, during the handshake or later. Called on the loop.</summary>
    internal void ApplyInfo(Link link, InfoMessage info)
    {
        _core.Publisher.MaxPayload = link.MaxPayload;
        _core.Publisher.Headers = link.Headers;
        if (info.ConnectUrls is { Length: > 0 } urls && !link.IsInfoUntrusted && !Options.IgnoreDiscoveredServers && _servers.ReplaceDiscovered(link.Address, urls))
        {
            _core.Events.RaiseServersDiscovered(urls);
        }

        if (info.LameDuck)
        {
            _core.Events.RaiseLameDuck();
        }
    }

    /// <summary>Runs the first connect.</summary>
    internal async Task ConnectAsync(CancellationToken cancellationToken)
    {
        try
        {
            await ConnectFirstAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (Exception e) when (Options.FirstConnect == FirstConnect.Background && IsFailedAttempt(e, cancellationToken))
        {
            SearchInBackground(e);
        }
        catch (Exception e) when (cancellationToken.IsCancellationRequested && e is not OperationCanceledException)
        {
            // The caller cancelled the connect, so the cancellation is reported in place of the failure of the last
            // server.
            throw new OperationCanceledException("The connect was cancelled.", e, cancellationToken);
        }
    }

    /// <summary>Begins to connect in the background, before any server has been tried.</summary>
    internal void ConnectInBackground() => SearchInBackground(null);

    private async Task ConnectFirstAsync(CancellationToken cancellationToken)
    {
        Exception? last = null;
        for (int left = _servers.Count; left > 0 && _servers.Next() is { } address; left--)
        {
            try
            {
                await _dialer.ConnectAsync(address, cancellationToken).ConfigureAwait(false);
                return;
            }
            catch (Exception e) when (IsFailedAttempt(e, cancellationToken))
            {
                last = e;
            }
        }

        if (Options.FirstConnect != FirstConnect.Retry)
        {
            throw last!;
        }

        _pauses.OnRoundFailed();
        await SearchAsync(cancellationToken).ConfigureAwait(false);
    }

    // The cause is the failure of the first connect. Null if no server has been tried.
    private void SearchInBackground(Exception? cause)
    {
        lock (_core.Gate)
        {
            _core.State = ConnectionState.Reconnecting;
            if (cause is not null)
            {
                _pauses.OnRoundFailed();
            }

            // No server has rejected headers yet, so messages with headers are accepted until a server does.
            _core.Publisher.Headers = Options.Headers;
        }

        if (cause is not null)
        {
            RaiseConnectFailed(cause);
        }

        _ = Task.Run(ReconnectAsync);
    }

    private void RaiseConnectFailed(Exception cause)
    {
        if (_core.Events.HasConnectFailedCallback)
        {
            _core.Loop.Post(() => _core.Events.RaiseConnectFailed(cause));
        }
    }

    private async Task ReconnectAsync()
    {
        try
        {
            // The counting for the next server starts where the counting for the last server ended.
            await _core.Accounting.Settling.ConfigureAwait(false);
            await SearchAsync(_core.Ending.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (_core.Ending.IsCancellationRequested)
        {
            // The owner has closed the connection meanwhile, and that close does the rest.
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            // The attempts are used up, or an error cannot be repaired. The connection reports this and closes.
            _core.Events.ReportGivenUp(e);
            await _core.Lifecycle.EndAsync(quietly: false, e).ConfigureAwait(false);
        }
    }

    private async Task SearchAsync(CancellationToken cancellationToken)
    {
        Exception? last = null;
        int attempts = 0;
        while (true)
        {
            await Task.Delay(_pauses.Next(), cancellationToken).ConfigureAwait(false);
            for (int left = _servers.Count; left > 0; left--)
            {
                if (Options.MaxReconnectAttempts >= 0 && attempts++ >= Options.MaxReconnectAttempts)
                {
                    throw new ConnectionLostException("No server could be reached within MaxReconnectAttempts attempts.", last);
                }

                ServerAddress address = _servers.Next()
                    ?? throw new ConnectionLostException("Every server has refused the credentials.", last);
                if (_core.State == ConnectionState.Reconnecting)
                {
                    _core.Loop.Post(() => _core.Events.RaiseReconnecting(_core.NameOf(address)));
                }

                try
                {
                    await _dialer.ConnectAsync(address, cancellationToken).ConfigureAwait(false);
                    return;
                }
                catch (Exception e) when (IsFailedAttempt(e, cancellationToken))
                {
                    last = e;
                    if (e is AuthorizationException)
                    {
                        _servers.RecordAttempt(address, refused: true);
                    }

                    RaiseConnectFailed(e);
                }
            }

            _pauses.OnRoundFailed();
        }
    }

    private static bool IsFailedAttempt(Exception e, CancellationToken cancellationToken)
        => e is not OutOfMemoryException && !cancellationToken.IsCancellationRequested;
}
