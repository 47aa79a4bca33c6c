using Broker.Benchmarks.Hashing;
using Broker.Benchmarks.Maps;

namespace Broker.Benchmarks.Tests;

public class MapTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(7)]
    [InlineData(5000)]
    public void The_hand_written_map_contains_exactly_the_added_keys(int count)
    {
        byte[][] keys = Keys.Make(count, Keys.Small, "y");
        byte[][] others = Keys.Make(count, Keys.Small, "n");
        var map = new OpenAddressingMap(count, seed: 1);
        for (int i = 0; i < count; i++)
        {
            map.Add(keys[i], i);
        }

        for (int i = 0; i < count; i++)
        {
            Assert.True(map.TryGetValue(keys[i].ToArray(), out int value));
            Assert.Equal(i, value);
            Assert.False(map.TryGetValue(others[i], out _));
        }
    }
}
