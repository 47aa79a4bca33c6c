namespace Broker.Transport.Tests;

/// <summary>
/// Tests of transports that do not change the bytes. They cannot run with TLS, because bytes that are written before
/// TLS is started leave in clear.
/// </summary>
public abstract class TransportComplianceInClear(TransportKind kind) : TransportCompliance(kind)
{
    [Fact]
    public async Task Bytes_written_before_the_loop_has_opened_the_connection_arrive()
    {
        using var pairs = new ConnectionPairs(Kind, nearLoops: 2);
        byte[] sent = Pattern(12_000_000);
        (Probe far, Task<byte[]> all) = Collector(sent.Length);
        using var hold = new ManualResetEventSlim();
        // The loop is busy with something else while another thread already writes.
        pairs.Near[0].Post(() => hold.Wait(ConnectionPairs.WaitLimit));
        var near = new Probe();
        Task connecting = pairs.ConnectAsync(near, far, pairs.Near[0]);
        await Wait.UntilAsync(() => near.Made is not null || connecting.IsCompleted, Cancellation);
        near.Made!.ExternalWriteBuffer.Write(sent);
        near.Made.FlushExternal();
        hold.Set();
        await connecting;
        Assert.Equal(sent, await Soon(all));
    }
}
