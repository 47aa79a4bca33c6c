namespace Broker.Transport.Tests;

/// <summary>Sends and receives another handler's bytes in records from the start.</summary>
internal sealed class RecordsHandler(ConnectionHandler inner) : ConnectionHandler
{
    public override void OnOpened(Connection connection)
    {
        connection.StartRecords(new CountingCipher());
        inner.OnOpened(connection);
    }

    public override int OnReceived(Connection connection, ReadOnlySpan<byte> bytes, ref int needed)
        => inner.OnReceived(connection, bytes, ref needed);

    public override void OnDrained(Connection connection) => inner.OnDrained(connection);

    public override void OnLowWater(Connection connection) => inner.OnLowWater(connection);

    public override void OnDiscarded(Connection connection, ReadOnlySpan<byte> written) => inner.OnDiscarded(connection, written);

    public override void OnClosed(Connection connection, CloseReason reason, Exception? error) => inner.OnClosed(connection, reason, error);
}
