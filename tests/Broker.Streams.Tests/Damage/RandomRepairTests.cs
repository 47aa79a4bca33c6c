using System.Globalization;
using Broker.Streams.Tests.Simulation;

namespace Broker.Streams.Tests.Damage;

/// <summary>Repairs stores with a long random history after random damage.</summary>
public sealed class RandomRepairTests(ITestOutputHelper output)
{
    private const int RepairsOfOneStore = 20;

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    // BROKER_STORE_REPAIRS=100000 for the long form.
    private static int Repairs => int.Parse(Environment.GetEnvironmentVariable("BROKER_STORE_REPAIRS") ?? "1000", CultureInfo.InvariantCulture);

    [Fact]
    public void After_random_damage_and_a_repair_every_whole_message_is_there_and_no_sequence_is_used_again()
    {
        int seed = Seed.Next();
        int lost = 0;
        int returned = 0;
        for (int count = 0; count < Repairs && !Ended.IsCancellationRequested; seed++)
        {
            try
            {
                var random = new Random(seed);
                var store = new RandomStore(random);
                for (int i = 0; i < RepairsOfOneStore; i++, count++)
                {
                    SimulatedDisk disk = store.Copy();
                    HashSet<string> damaged = store.Damage(disk, random);
                    (int lostNow, int returnedNow) = store.RepairAndCheck(disk, damaged);
                    lost += lostNow;
                    returned += returnedNow;
                }
            }
            catch (Exception e)
            {
                throw new InvalidOperationException($"Failed with the seed {seed}.", e);
            }
        }

        output.WriteLine($"{lost} messages were damaged and {returned} deleted ones have returned");
        Assert.True(lost > 0 || Ended.IsCancellationRequested);
    }
}
