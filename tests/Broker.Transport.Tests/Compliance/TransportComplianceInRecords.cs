namespace Broker.Transport.Tests;

/// <summary>Tests what is special when a protocol's own records are used above the transport.</summary>
public abstract class TransportComplianceInRecords(TransportKind kind) : TransportCompliance(kind)
{
    [Fact]
    public async Task Many_bytes_that_arrived_before_StartRecords_are_delivered_even_if_nothing_follows()
    {
        using var pairs = new ConnectionPairs(Kind);
        byte[] sent = Pattern(100_000);
        Connection? writer = null;
        var far = new Probe
        {
            WhenOpened = connection =>
            {
                connection.GetWriteBuffer(connection.Loop).Write(sent);
                Volatile.Write(ref writer, connection);
            },
        };

        byte[] received = new byte[sent.Length];
        int length = 0;
        TaskCompletionSource done = new(TaskCreationOptions.RunContinuationsAsynchronously);
        var near = new Probe
        {
            // Actions that are posted from here on run an iteration later, and much has to be read in that iteration.
            WhenOpened = _ => SpinWait.SpinUntil(() => Volatile.Read(ref writer)?.SentBytes >= sent.Length, ConnectionPairs.WaitLimit),
            WhenReceived = (Connection _, ReadOnlySpan<byte> bytes, ref int _) =>
            {
                bytes.CopyTo(received.AsSpan(length));
                length += bytes.Length;
                if (length == received.Length)
                {
                    done.TrySetResult();
                }

                return bytes.Length;
            },
        };

        await pairs.ConnectAsync(near, far);
        await Soon(done.Task);
        Assert.Equal(sent, received);
    }
}
