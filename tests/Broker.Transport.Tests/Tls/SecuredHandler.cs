using System.Net.Security;

namespace Broker.Transport.Tests.Tls;

/// <summary>
/// Adds TLS below another handler, which sees a connection that opens when it is secured. With a greeting, the server
/// first sends one line in clear, as NATS does.
/// </summary>
internal sealed class SecuredHandler(
    ConnectionHandler inner, SslServerAuthenticationOptions? server, SslClientAuthenticationOptions? client, bool greets)
    : ConnectionHandler
{
    internal static readonly TimeSpan Timeout = TimeSpan.FromSeconds(30);

    private bool _started;

    public override void OnOpened(Connection connection)
    {
        if (server is not null)
        {
            if (greets)
            {
                connection.GetWriteBuffer(connection.Loop).Write("INFO {}\r\n"u8);
            }

            _started = true;
            connection.StartTls(server, Timeout, inner.OnOpened);
        }
        else if (!greets)
        {
            _started = true;
            connection.StartTls(client!, Timeout, inner.OnOpened);
        }
    }

    public override int OnReceived(Connection connection, ReadOnlySpan<byte> bytes, ref int needed)
    {
        if (_started)
        {
            return inner.OnReceived(connection, bytes, ref needed);
        }

        int line = bytes.IndexOf((byte)'\n') + 1;
        if (line != 0)
        {
            _started = true;
            connection.StartTls(client!, Timeout, inner.OnOpened);
        }

        return line;
    }

    public override void OnDrained(Connection connection) => inner.OnDrained(connection);

    public override void OnLowWater(Connection connection) => inner.OnLowWater(connection);

    public override void OnClosed(Connection connection, CloseReason reason, Exception? error) => inner.OnClosed(connection, reason, error);
}
