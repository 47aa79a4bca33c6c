using System.Net.Security;

namespace Broker.Transport;

/// <summary>
/// Starts TLS, or the encrypted records of another protocol, on an open connection. Ends the TLS handshake. During a
/// handshake the handler gets no bytes, and flushed bytes wait in the queue. On the connection's loop.
/// </summary>
internal sealed class SecurityUpgrade
{
    private readonly Connection _connection;
    private readonly TlsLayer _layer;
    private Action<Connection>? _onSecured;
    private LoopTimer? _timer;

    private SecurityUpgrade(Connection connection, Action<Connection> onSecured)
    {
        _connection = connection;
        _onSecured = onSecured;
        _layer = new TlsLayer(connection);
    }

    /// <inheritdoc cref="Connection.StartTls(SslServerAuthenticationOptions, TimeSpan, Action{Connection})"/>
    internal static void StartTls(
        Connection connection, SslServerAuthenticationOptions options, TimeSpan timeout, Action<Connection> onSecured)
    {
        ArgumentNullException.ThrowIfNull(options);
        StartTls(connection, ssl => ssl.AuthenticateAsServerAsync(options), timeout, onSecured);
    }

    /// <inheritdoc cref="Connection.StartTls(Func{SslServerAuthenticationOptions}, TimeSpan, Action{Connection})"/>
    internal static void StartTls(
        Connection connection, Func<SslServerAuthenticationOptions> options, TimeSpan timeout, Action<Connection> onSecured)
    {
        ArgumentNullException.ThrowIfNull(options);
        StartTls(connection, ssl => ssl.AuthenticateAsServerAsync(options()), timeout, onSecured);
    }

    /// <inheritdoc cref="Connection.StartTls(SslClientAuthenticationOptions, TimeSpan, Action{Connection})"/>
    internal static void StartTls(
        Connection connection, SslClientAuthenticationOptions options, TimeSpan timeout, Action<Connection> onSecured)
    {
        ArgumentNullException.ThrowIfNull(options);
        StartTls(connection, ssl => ssl.AuthenticateAsClientAsync(options), timeout, onSecured);
    }

    /// <summary>Starts the encrypted records of a protocol. The protocol has already done its own handshake.</summary>
    internal static void StartRecords(Connection connection, RecordCipher cipher)
    {
        ArgumentNullException.ThrowIfNull(cipher);
        if (!TryBegin(connection, "records"))
        {
            cipher.Dispose();
            return;
        }

        connection.Outbound.Insert(new RecordLayer(connection, cipher));
        connection.Transport.OnLayerInserted();

        // This action is posted behind the action that passes the handler's unconsumed bytes to the cipher.
        connection.Loop.Post(() => EnableRecords(connection));
    }

    /// <summary>Cancels the time limit of the handshake.</summary>
    internal void Cancel()
    {
        _timer?.Cancel();
        _timer = null;
    }

    // The steps of the handshake run on the thread pool.
    private static void StartTls(
        Connection connection, Func<SslStream, Task> authenticate, TimeSpan timeout, Action<Connection> onSecured)
    {
        ArgumentNullException.ThrowIfNull(onSecured);
        if (!TryBegin(connection, "TLS"))
        {
            return;
        }

        var upgrade = new SecurityUpgrade(connection, onSecured);
        connection.Security = upgrade;
        connection.Outbound.Insert(upgrade._layer);
        upgrade._timer = connection.Loop.StartTimer(
            timeout, () => upgrade.End(new TimeoutException("The handshake of TLS took too long.")));
        connection.Transport.OnLayerInserted();
        upgrade._layer.Start(authenticate, error => connection.Loop.Post(() => upgrade.End(error)));
    }

    private void End(Exception? error)
    {
        if (!_connection.IsOpen || _layer.IsSecured)
        {
            return;
        }

        _timer?.Cancel();
        if (error is not null)
        {
            _connection.Closing.FailHandshake(error);
            return;
        }

        _connection.Outbound.Secure();
        try
        {
            _connection.TlsDescription = _layer.Describe();
            _onSecured!(_connection);
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            _connection.CloseOnLoop(CloseReason.Error, e, TimeSpan.Zero);
        }

        _onSecured = null;
        if (!_connection.IsClosed)
        {
            _connection.Sender.Resume();
            _connection.Transport.OnLayerSecured(_layer);
        }
    }

    private static void EnableRecords(Connection connection)
    {
        if (connection.IsOpen && connection.Layer is { IsSecured: false } layer)
        {
            connection.Outbound.Secure();
            connection.Sender.Resume();
            connection.Transport.OnLayerSecured(layer);
        }
    }

    // Returns false if the connection is no longer open. Bytes that its loop has already written are sent unencrypted.
    private static bool TryBegin(Connection connection, string what)
    {
        if (!connection.Loop.IsCurrent || connection.Layer is not null)
        {
            throw new InvalidOperationException(
                $"A connection can start {what} only on its loop's thread, and only if it has no TLS and no records yet.");
        }

        if (!connection.Transport.CanCarryLayers)
        {
            throw new NotSupportedException($"An in-process link does not support {what}.");
        }

        if (connection.IsOpen)
        {
            connection.Flush(connection.Loop);
        }

        return connection.IsOpen;
    }
}
