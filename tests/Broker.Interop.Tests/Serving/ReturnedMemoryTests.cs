using System.Globalization;
using System.Text;
using Broker.Interop.Tests.Harness;

namespace Broker.Interop.Tests.Serving;

/// <summary>
/// Tests that the broker returns the memory of a burst to the system.
/// </summary>
public sealed class ReturnedMemoryTests
{
    private const int Readers = 6;
    private const int Messages = 1_000_000;
    private const int Batch = 40_000;

    // The queues take nearly 200 MB. The pool frees a third of its unused memory every ten seconds.
    private const long Slack = 60 * 1024 * 1024;

    [Fact]
    public async Task When_readers_who_had_stopped_have_read_all_the_memory_goes_back()
    {
        string file = Path.Combine(Path.GetTempPath(), $"returned-{Guid.NewGuid():N}.conf");
        // On a busy machine, the publisher may take longer than the default time.
        await File.WriteAllTextAsync(file, "write_deadline: \"10m\"\n", TestContext.Current.CancellationToken);
        await using BrokerProcess broker = await BrokerProcess.StartAsync(-1, "-c", file);
        var readers = new List<RawConnection>();
        try
        {
            for (int i = 0; i < Readers; i++)
            {
                RawConnection reader = await broker.ConnectRawAsync();
                readers.Add(reader);
                await reader.SendAsync("CONNECT {\"verbose\":false}\r\nSUB a 1\r\nPING\r\n");
                await reader.ReadToAsync("PONG\r\n");
            }

            using RawConnection publisher = await broker.ConnectRawAsync();
            await publisher.SendAsync("CONNECT {\"verbose\":false}\r\n");
            long before = broker.ResidentMemory();
            byte[] batch = Encoding.ASCII.GetBytes(new StringBuilder().Insert(0, "PUB a 16\r\n0123456789abcdef\r\n", Batch).ToString());
            for (int sent = 0; sent < Messages; sent += Batch)
            {
                await publisher.SendAsync(batch);
            }

            await publisher.SendAsync("PING\r\n");
            await publisher.ReadToAsync("PONG\r\n");
            long most = broker.ResidentMemory();
            Assert.InRange(most - before, 2 * Slack, long.MaxValue);
            await Task.WhenAll(readers.Select(static reader => reader.SkipAsync((long)Messages * "MSG a 1 16\r\n0123456789abcdef\r\n".Length)));

            long now = 0;
            await Wait.UntilAsync(
                () => (now = broker.ResidentMemory()) - before <= Slack,
                () => string.Create(CultureInfo.InvariantCulture, $"{before / 1e6:f1} MB before the burst, {most / 1e6:f1} at its end, {now / 1e6:f1} now"));
        }
        finally
        {
            readers.ForEach(static reader => reader.Dispose());
            File.Delete(file);
        }
    }
}
