namespace Broker.Streams.Tests.Store;

public sealed class SlotListTests
{
    [Fact]
    public void Numbers_of_removed_objects_are_given_again()
    {
        var slots = new SlotList<string>();
        int kept = slots.Add("kept");
        for (int i = 0; i < 1000; i++)
        {
            Assert.Equal("other", slots.Remove(slots.Add("other")));
        }

        Assert.Equal("kept", slots[kept]);
        Assert.Equal(2, slots.Capacity);
    }

    [Fact]
    public void Objects_that_are_there_have_different_numbers()
    {
        var slots = new SlotList<string>();
        int[] numbers = [slots.Add("a"), slots.Add("b"), slots.Add("c")];
        slots.Remove(numbers[1]);
        slots.Remove(numbers[0]);

        int[] given = [slots.Add("d"), slots.Add("e"), slots.Add("f")];

        Assert.Equal(4, given.Append(numbers[2]).Distinct().Count());
        Assert.Equal(["d", "e", "f", "c"], given.Append(numbers[2]).Select(slot => slots[slot]));
    }

    [Fact]
    public void A_number_is_removed_once()
    {
        var slots = new SlotList<string>();
        int slot = slots.Add("a");
        slots.Remove(slot);

        Assert.Throws<InvalidOperationException>(() => slots.Remove(slot));
        Assert.Null(slots[slot]);
    }
}
