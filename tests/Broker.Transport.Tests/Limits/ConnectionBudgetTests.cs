using System.Net;
using System.Net.Sockets;
using Broker.Testing;

namespace Broker.Transport.Tests;

/// <summary>
/// Tests that the number of accepted connections stays below the number of files that a process may open.
/// </summary>
public sealed class ConnectionBudgetTests
{
    private readonly VirtualTime _time = new();
    private int _open = 20;
    private int _looks;

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    private ConnectionBudget Budget(long? limit, int? reserve = null) => new(limit, reserve, CountOpen, _time);

    private int CountOpen()
    {
        _looks++;
        return _open;
    }

    // Accepts until a connection is refused. Accepted connections stay open, and the asking connection is open too.
    private int Fill(ConnectionBudget budget)
    {
        for (int taken = 0; ; taken++)
        {
            _open++;
            if (!budget.TryTake())
            {
                _open--;
                return taken;
            }
        }
    }

    [Theory]
    [InlineData(256, null, 204)]
    [InlineData(1024, null, 940)]
    [InlineData(100_000, 0, 99_980)]
    [InlineData(1000, 500, 480)]
    public void Connections_are_accepted_up_to_the_limit_minus_the_reserve(int limit, int? reserve, int expected)
    {
        ConnectionBudget budget = Budget(limit, reserve);
        Assert.Equal(expected, Fill(budget));
        Assert.Equal(expected, budget.Taken);
        Assert.Equal(1, budget.Refused);
        // It counts the open files more often as the limit comes nearer, and not for each connection.
        Assert.InRange(_looks, 1, 40);
    }

    [Fact]
    public void A_released_connection_allows_another_one()
    {
        ConnectionBudget budget = Budget(100, 10);
        Fill(budget);
        for (int i = 0; i < 3; i++)
        {
            _open--;
            budget.Release();
            Assert.Equal(1, Fill(budget));
        }
    }

    [Fact]
    public void Files_that_other_code_opens_count_too()
    {
        ConnectionBudget one = Budget(1000, 100);
        ConnectionBudget other = Budget(1000, 100);
        int taken = 0;
        while (true)
        {
            _open++;
            bool first = one.TryTake();
            _open += first ? 1 : 0;
            bool second = other.TryTake();
            _open += second ? 0 : -1;
            taken += (first ? 1 : 0) + (second ? 1 : 0);
            if (!first && !second)
            {
                break;
            }
        }

        // Each of them may exceed it by what it was allowed between two counts.
        Assert.InRange(taken, 870, 890);
        Assert.InRange(_open, 890, 910);
    }

    [Fact]
    public void Many_refusals_do_not_count_the_files_each_time_and_end_by_themselves()
    {
        ConnectionBudget budget = Budget(100, 10);
        Fill(budget);
        int looks = _looks;
        for (int i = 0; i < 1000; i++)
        {
            Assert.False(budget.TryTake());
        }

        Assert.Equal(looks, _looks);
        Assert.Equal(1001, budget.Refused);
        // Other code has closed its files, and the budget is not notified of that.
        _open -= 50;
        _time.Advance(TimeSpan.FromMilliseconds(20));
        Assert.True(budget.TryTake());
    }

    [Fact]
    public void Refusals_that_follow_closely_raise_the_event_once()
    {
        ConnectionBudget budget = Budget(100, 10);
        int told = 0;
        budget.Exhausted += (sender, _) => told += sender == budget ? 1 : 0;
        Fill(budget);
        // The connection that asks is open already.
        _open++;
        Assert.Equal(1, told);
        for (int i = 0; i < 100; i++)
        {
            _time.Advance(TimeSpan.FromSeconds(1));
            Assert.False(budget.TryTake());
        }

        Assert.Equal(1, told);
        _time.Advance(TimeSpan.FromSeconds(10));
        Assert.False(budget.TryTake());
        Assert.Equal(2, told);
    }

    [Fact]
    public void Without_a_limit_nothing_is_refused_and_no_files_are_counted()
    {
        ConnectionBudget budget = Budget(null);
        _open = int.MaxValue;
        Assert.True(budget.TryTake());
        Assert.Equal(0, _looks);
        Assert.Null(budget.Limit);
    }

    [Fact]
    public void The_limit_and_the_open_files_are_those_of_this_process()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "there is no such limit");
        var budget = new ConnectionBudget();
        Assert.InRange(budget.Limit ?? 0, 64, int.MaxValue);
        int before = OpenFiles.Count();
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        Assert.InRange(before, 3, budget.Limit!.Value);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_listener_closes_connections_beyond_the_limit_and_serves_new_ones_after_others_close(bool portable)
    {
        // The count contains only the connections of this test.
        ConnectionBudget? budget = null;
        budget = new ConnectionBudget(3, 0, () => (int)budget!.Taken + 1, _time);
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 1, ForcePortable = portable, ConnectionBudget = budget });
        Assert.Same(budget, group.ConnectionBudget);
        using var listener = Listener.Start(group, new IPEndPoint(IPAddress.Loopback, 0), static (_, _) => new Probe
        {
            WhenOpened = static connection => connection.GetWriteBuffer(connection.Loop).Write("hello"u8),
        });
        var inside = new List<Socket>();
        for (int i = 0; i < 3; i++)
        {
            Socket socket = await ConnectAsync(listener);
            Assert.True(await IsServedAsync(socket));
            inside.Add(socket);
        }

        for (int i = 0; i < 10; i++)
        {
            using Socket socket = await ConnectAsync(listener);
            Assert.False(await IsServedAsync(socket));
        }

        Assert.Equal(3, budget.Taken);
        Assert.Equal(10, budget.Refused);
        inside.ForEach(static s => s.Dispose());
        await Wait.UntilAsync(() => budget.Taken == 0, Cancellation);
        using Socket later = await ConnectAsync(listener);
        Assert.True(await IsServedAsync(later));
    }

    [Fact]
    public async Task A_connection_that_the_accept_callback_refuses_is_released()
    {
        var budget = new ConnectionBudget(10, 0, static () => 1, _time);
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 1, ConnectionBudget = budget });
        int calls = 0;
        using var listener = Listener.Start(
            group, new IPEndPoint(IPAddress.Loopback, 0), (_, _) => ++calls == 1 ? null : throw new InvalidOperationException("no"));
        for (int i = 0; i < 2; i++)
        {
            using Socket socket = await ConnectAsync(listener);
            Assert.False(await IsServedAsync(socket));
        }

        await Wait.UntilAsync(() => budget.Taken == 0 && Volatile.Read(ref calls) == 2, Cancellation);
        Assert.Equal(0, budget.Refused);
    }

    private static async Task<Socket> ConnectAsync(Listener listener)
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        await socket.ConnectAsync(listener.EndPoint, Cancellation);
        return socket;
    }

    private static async Task<bool> IsServedAsync(Socket socket)
    {
        try
        {
            return await socket.ReceiveAsync(new byte[5], Cancellation).AsTask().WaitAsync(ConnectionPairs.WaitLimit, Cancellation) > 0;
        }
        catch (SocketException)
        {
            return false;
        }
    }
}
