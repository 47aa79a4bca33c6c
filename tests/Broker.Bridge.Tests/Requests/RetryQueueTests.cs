namespace Broker.Bridge.Tests.Requests;

/// <summary>Requests that wait to be published again and complete before that.</summary>
public sealed class RetryQueueTests
{
    private const int Most = 4096;

    private readonly PendingRequests _pending = new(Most);
    private readonly RetryQueue _held;

    public RetryQueueTests() => _held = new RetryQueue(_pending);

    [Fact]
    public void Requests_that_expire_before_a_retry_leave_no_state()
    {
        for (int life = 0; life < 50; life++)
        {
            AddAll();
            while (_pending.Oldest >= 0)
            {
                _pending.Remove(_pending.Oldest);
            }

            Assert.InRange(_held.Count, 0, (2 * Most) + 256);
        }
    }

    [Fact]
    public void Requests_that_expire_before_a_retry_do_not_delay_pending_ones()
    {
        AddAll();
        for (int left = Most - 2; left > 0; left--)
        {
            _pending.Remove(_pending.Oldest);
        }

        int first = _pending.Oldest;
        Assert.True(_held.TryTake(out int slot));
        Assert.Equal(first, slot);
        Assert.True(_held.TryTake(out slot));
        Assert.Equal(_pending[first].Younger, slot);
        Assert.False(_held.TryTake(out _));
    }

    [Fact]
    public void A_reused_slot_is_not_confused_with_the_request_that_awaited_a_retry_there()
    {
        int slot = _pending.Add(0);
        _held.Add(slot);
        _pending.Remove(slot);
        Assert.Equal(slot, _pending.Add(0));
        Assert.False(_held.TryTake(out _));
    }

    private void AddAll()
    {
        while (!_pending.IsFull)
        {
            _held.Add(_pending.Add(0));
        }
    }
}
