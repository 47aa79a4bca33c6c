namespace Broker.Bridge.Tests.Pipelines;

/// <summary>
/// An egress knows the last messages of its stream, and it does not confuse a forgotten message with a newer one.
/// </summary>
public sealed class RecentDeliveriesTests
{
    private const int Capacity = 8;

    private readonly RecentDeliveries _recent = new(Capacity);

    [Fact]
    public void The_last_ones_are_known_and_those_before_are_forgotten()
    {
        AddAll(1, Capacity + 1);

        Assert.False(Knows(1));
        Assert.All(Enumerable.Range(2, Capacity), number => Assert.True(Knows(number)));
    }

    [Fact]
    public void One_that_was_given_back_and_came_again_is_as_old_as_its_second_coming()
    {
        Add(1);
        _recent.Remove(Delivery(1));
        AddAll(2, Capacity - 1);
        Add(1);
        Add(100);

        Assert.True(Knows(1));
        Assert.False(Knows(2));
    }

    [Fact]
    public void One_that_was_given_back_takes_no_place_of_others()
    {
        for (int number = 100; number < 100 + Capacity; number++)
        {
            Add(number);
            _recent.Remove(Delivery(number));
        }

        AddAll(1, Capacity);

        Assert.All(Enumerable.Range(1, Capacity), number => Assert.True(Knows(number)));
    }

    [Fact]
    public void Its_order_is_bounded_however_often_messages_are_given_back()
    {
        Add(1);
        for (int i = 0; i < 1000; i++)
        {
            Add(2);
            _recent.Remove(Delivery(2));
            Assert.InRange(_recent.Ordered, 1, Capacity + (Capacity / 4) + 1);
        }

        Assert.Equal(1, _recent.Count);
        Assert.True(Knows(1));
    }

    [Fact]
    public void It_is_known_whether_PUSH_took_it()
    {
        _recent.Add(Delivery(1), taken: false);
        Assert.True(_recent.TryGet(Delivery(1), out bool taken));
        Assert.False(taken);

        _recent.Add(Delivery(1), taken: true);
        Assert.True(_recent.TryGet(Delivery(1), out taken));
        Assert.True(taken);
        Assert.Equal(1, _recent.Ordered);
    }

    [Fact]
    public void A_message_stored_before_the_newest_may_have_been_delivered_even_with_reused_numbers()
    {
        _recent.Add(new DeliverySubject(1, Sequence: 90, Stored: 900), taken: true);
        _recent.Add(new DeliverySubject(1, Sequence: 50, Stored: 1000), taken: true);

        Assert.True(_recent.WasDeliveredBefore(new DeliverySubject(1, Sequence: 80, Stored: 800)));
        Assert.True(_recent.WasDeliveredBefore(new DeliverySubject(2, Sequence: 60, Stored: 1100)));
        Assert.False(_recent.WasDeliveredBefore(new DeliverySubject(1, Sequence: 60, Stored: 1100)));
        Assert.False(_recent.WasDeliveredBefore(new DeliverySubject(1, Sequence: 51, Stored: 1000)));
    }

    private static DeliverySubject Delivery(int number) => new(Delivered: 1, number, Stored: number);

    private void AddAll(int first, int count)
    {
        for (int number = first; number < first + count; number++)
        {
            Add(number);
        }
    }

    private void Add(int number) => _recent.Add(Delivery(number), taken: true);

    private bool Knows(int number) => _recent.TryGet(Delivery(number), out _);
}
