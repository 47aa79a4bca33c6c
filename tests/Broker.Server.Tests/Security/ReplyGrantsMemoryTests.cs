using System.Text;
using Broker.Server.Tests.Harness;

namespace Broker.Server.Tests.Security;

[Collection(Alone.Name)]
public sealed class ReplyGrantsMemoryTests
{
    private const long Now = 1_000_000;
    private const int Attempts = 5;

    [Theory]
    [InlineData(8)]
    [InlineData(64)]
    [InlineData(4000)]
    public void The_grants_of_one_client_stay_within_its_memory_limit(int length)
    {
        var budget = new ByteBudget(ReplyGrants.MaxBytesInAll);
        ReplyGrants grants = null!;
        long held = 0;
        bool isThere = false;

        // The counted memory must be the used memory. The memory of earlier tests may be collected at any time, also
        // between the two measurements; the memory of one client is there in each measurement.
        for (int attempt = 0; attempt < Attempts && !isThere; attempt++)
        {
            grants?.Close();
            grants = null!;
            long before = Memory();
            grants = new ReplyGrants(new ResponsePermissions { MaxMessages = -1 }, 1, budget);
            for (int i = 0; i < 2 * ReplyGrants.MaxGrants; i++)
            {
                grants.Add(Bytes(i.ToString("D8", null).PadRight(length, 'r')), Now);
            }

            held = Memory() - before;
            Assert.InRange(grants.UsedBytes, 1, ReplyGrants.MaxBytes);
            Assert.Equal(grants.UsedBytes, budget.Used);
            isThere = held >= grants.UsedBytes * 0.8 && held <= (grants.UsedBytes * 1.2) + (8 * 1024 * 1024);
        }

        Assert.True(isThere, $"{held} bytes are there, {grants.UsedBytes} are counted");
        Assert.True(grants.TryUse(Bytes(((2 * ReplyGrants.MaxGrants) - 1).ToString("D8", null).PadRight(length, 'r')), Now));
        grants.Close();
        Assert.Equal(0, budget.Used);
        grants.Add(Bytes("late"), Now);
        Assert.False(grants.TryUse(Bytes("late"), Now));
        Assert.Equal(0, budget.Used);
    }

    [Theory]
    [InlineData(20)]
    [InlineData(2000)]
    public void The_grants_of_all_clients_stay_within_the_total_and_each_client_has_a_share(int length)
    {
        const int Clients = 200;
        const int Most = 4 * 1024 * 1024;
        var budget = new ByteBudget(Most);
        ReplyGrants[] clients = [.. Enumerable.Range(0, Clients).Select(_ => new ReplyGrants(new ResponsePermissions(), 1, budget))];
        // The first clients use all the memory that they can get before the others connect.
        for (int client = 0; client < Clients; client++)
        {
            for (int i = 0; i < 1000; i++)
            {
                clients[client].Add(Bytes($"{i}".PadLeft(length, 'r')), Now);
            }
        }

        // Each client can store one grant and has its first few entries, however little memory is free.
        Assert.InRange(budget.Used, 1, Most + (Clients * (length + 512)));
        Assert.Equal(clients.Sum(c => c.UsedBytes), budget.Used);
        Assert.All(clients, client => Assert.True(client.TryUse(Bytes("999".PadLeft(length, 'r')), Now)));
        Array.ForEach(clients, client => client.Close());
        Assert.Equal(0, budget.Used);
    }

    // Collect until the memory does not decrease: one collection can prepare memory of other tests for the next one.
    private static long Memory()
    {
        long now = GC.GetTotalMemory(forceFullCollection: true);
        long last;
        do
        {
            last = now;
            GC.WaitForPendingFinalizers();
            now = GC.GetTotalMemory(forceFullCollection: true);
        }
        while (now < last);

        return now;
    }

    private static byte[] Bytes(string text) => Encoding.ASCII.GetBytes(text);
}
