using System.Text.RegularExpressions;
using Broker.Server.Tests.Harness;
using Broker.Transport;

namespace Broker.Server.Tests.Lifecycle;

/// <summary>
/// A server uses the clock of its loops for all timeouts. In these tests hours pass in milliseconds, on one thread and
/// without waiting.
/// </summary>
public sealed class VirtualTimeTests
{
    private const string Quiet = """CONNECT {"verbose":false,"pedantic":false}""" + "\r\n";

    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan Minute = TimeSpan.FromMinutes(1);

    /// <summary>
    /// The amounts by which the wall clock is changed during a test. No timer may depend on the wall clock.
    /// </summary>
    public static TheoryData<TimeSpan> ClockSetBy => new(TimeSpan.Zero, TimeSpan.FromHours(1), TimeSpan.FromHours(-1));

    [Fact]
    public void Clients_exchange_messages_within_the_iterations_of_the_caller()
    {
        using var broker = new DrivenBroker();
        DrivenBroker.Client hears = broker.Connect(Quiet + "SUB a.* 7\r\n");
        DrivenBroker.Client says = broker.Connect(Quiet + "PUB a.b 2\r\nhi\r\nPING\r\n");
        Assert.Equal("PONG\r\n", says.Heard());
        Assert.Equal("MSG a.b 7 2\r\nhi\r\n", hears.Heard());
        Assert.Equal((2, 1L, 1L), (broker.Server.Snapshot().Connections, broker.Server.Snapshot().MessagesIn, broker.Server.Snapshot().MessagesOut));
        says.Connection.Close();
        broker.Turn();
        Assert.Equal(CloseReason.Local, says.Closed);
        Assert.Equal(1, broker.Server.Snapshot().Connections);
    }

    [Theory]
    [MemberData(nameof(ClockSetBy))]
    public void A_silent_client_receives_PINGs_and_is_closed_as_stale_even_if_the_wall_clock_is_set(TimeSpan setBy)
    {
        using var broker = new DrivenBroker(o => (o.PingInterval, o.PingMax) = (30 * Second, 2));
        broker.ClockSetBy = setBy;
        DrivenBroker.Client silent = broker.Connect(Quiet);
        DrivenBroker.Client answers = broker.Connect(Quiet);
        answers.AnswersPings = true;
        broker.Pass(1.9 * Second);
        Assert.Equal("", silent.Heard());
        broker.Pass(0.6 * Second);
        Assert.Equal("PING\r\n", silent.Heard());
        broker.Pass(29 * Second);
        Assert.Equal("", silent.Heard());
        broker.Pass(1.1 * Second);
        Assert.Equal("PING\r\n", silent.Heard());
        broker.Pass(29 * Second);
        Assert.Equal("", silent.Heard());
        Assert.Null(silent.Closed);
        broker.Pass(2 * Second);
        Assert.Equal("-ERR 'Stale Connection'\r\n", silent.Heard());
        broker.Pass(3 * Second);
        Assert.NotNull(silent.Closed);
        broker.Pass(30 * Minute);
        Assert.Null(answers.Closed);
        Assert.Equal("Stale Connection", Assert.Single(Connections(broker, ConnectionStates.Closed)).Reason);
    }

    [Fact]
    public void A_client_whose_message_arrives_slowly_is_not_stale()
    {
        using var broker = new DrivenBroker(o => (o.PingInterval, o.PingMax) = (30 * Second, 1));
        DrivenBroker.Client slow = broker.Connect(Quiet + "PUB a 1000\r\n");
        for (int i = 0; i < 100; i++)
        {
            broker.Pass(20 * Second);
            slow.Say(new string('x', 10));
            Assert.Null(slow.Closed);
        }

        slow.Say("\r\nPING\r\n");
        Assert.EndsWith("PONG\r\n", slow.Heard(), StringComparison.Ordinal);
        Assert.Equal(1, broker.Server.Snapshot().MessagesIn);
        broker.Pass(93 * Second);
        Assert.NotNull(slow.Closed);
    }

    [Theory]
    [MemberData(nameof(ClockSetBy))]
    public void A_client_without_CONNECT_is_closed_after_the_timeout_even_if_the_wall_clock_is_set(TimeSpan setBy)
    {
        using var broker = new DrivenBroker(o => (o.Token, o.AuthTimeout, o.PingInterval) = ("t", 5 * Second, Minute));
        broker.ClockSetBy = setBy;
        DrivenBroker.Client late = broker.Connect("");
        DrivenBroker.Client known = broker.Connect("""CONNECT {"verbose":false,"pedantic":false,"auth_token":"t"}""" + "\r\n");
        broker.Pass(4.9 * Second);
        Assert.Equal("PING\r\n", late.Heard());
        broker.Pass(0.2 * Second);
        Assert.Equal("-ERR 'Authentication Timeout'\r\n", late.Heard());
        broker.Pass(3 * Second);
        Assert.NotNull(late.Closed);
        Assert.Null(known.Closed);
    }

    [Fact]
    public void A_client_is_not_stale_during_the_decision_and_has_the_full_timeout()
    {
        var decisions = new Dictionary<string, TaskCompletionSource<AuthorizationResult>> { ["a"] = new(), ["b"] = new() };
        using var broker = new DrivenBroker(o =>
        {
            (o.AuthTimeout, o.PingInterval, o.PingMax) = (10 * Minute, Second, 1);
            o.AuthorizeAsync = r => new ValueTask<AuthorizationResult>(decisions[r.UserName!].Task);
        });
        DrivenBroker.Client a = broker.Connect("""CONNECT {"verbose":false,"pedantic":false,"user":"a"}""" + "\r\nPONG\r\nPING\r\n");
        DrivenBroker.Client b = broker.Connect("""CONNECT {"verbose":false,"pedantic":false,"user":"b"}""" + "\r\nPING\r\n");
        broker.Pass(9 * Minute);
        Assert.Equal("", a.Heard() + b.Heard());
        decisions["a"].SetResult(AuthorizationResult.Allow());
        broker.Turn();
        Assert.Equal("PONG\r\n", a.Heard());
        a.AnswersPings = true;
        broker.Pass(1.1 * Minute);
        Assert.Equal("-ERR 'Authentication Timeout'\r\n", b.Heard());
        Assert.Null(a.Closed);
        Assert.NotNull(b.Closed);
        decisions["b"].SetResult(AuthorizationResult.Allow());
        broker.Turn();
        Assert.Equal(1, broker.Server.Snapshot().Connections);
    }

    [Theory]
    [MemberData(nameof(ClockSetBy))]
    public void The_permission_to_reply_expires_even_if_the_wall_clock_is_set(TimeSpan setBy)
    {
        using var broker = new DrivenBroker(o =>
        {
            o.PingInterval = TimeSpan.FromHours(1);
            o.Users =
            [
                new User("asks", "p"),
                new User("answers", "p", new Permissions { Publish = SubjectPermissions.AllBut(">"), Responses = new ResponsePermissions { MaxMessages = 9, Expires = Minute } }),
            ];
        });
        broker.ClockSetBy = setBy;
        DrivenBroker.Client answers = broker.Connect(Quiet + "SUB q 1\r\n", "answers");
        DrivenBroker.Client asks = broker.Connect(Quiet + "SUB in.* 1\r\nPUB q in.1 0\r\n\r\n", "asks");
        Assert.Equal("MSG q 1 in.1 0\r\n\r\n", answers.Heard());
        broker.Pass(59 * Second);
        answers.Say("PUB in.1 1\r\n1\r\n");
        Assert.Equal("MSG in.1 1 1\r\n1\r\n", asks.Heard().Replace("PING\r\n", "", StringComparison.Ordinal));
        broker.Pass(2 * Second);
        answers.Heard();
        answers.Say("PUB in.1 1\r\n2\r\n");
        Assert.Equal("-ERR 'Permissions Violation for Publish to \"in.1\"'\r\n", answers.Heard());
        Assert.Equal("", asks.Heard());
    }

    [Theory]
    [MemberData(nameof(ClockSetBy))]
    public void Requests_to_other_accounts_expire_even_if_the_wall_clock_is_set(TimeSpan setBy)
    {
        using var broker = new DrivenBroker(o =>
        {
            o.PingInterval = TimeSpan.FromHours(1);
            o.Accounts =
            [
                Tests.Accounts.Accounts.Account("A", "a", [new ServiceExport("q")]),
                Tests.Accounts.Accounts.Account("B", "b", imports: [new ServiceImport("A", "q")]),
            ];
        });
        broker.ClockSetBy = setBy;
        DrivenBroker.Client a = broker.Connect(Quiet + "SUB q 1\r\n", "a");
        DrivenBroker.Client b = broker.Connect(Quiet + "SUB in 2\r\nPUB q in 0\r\n\r\n", "b");
        string reply = Regex.Match(a.Heard(), @"_R_\.\S+", RegexOptions.None, Second).Value;
        broker.Pass(Minute);
        Assert.Equal(1, broker.Server.ForwardedRequests);
        broker.Pass(2 * Minute);
        Assert.Equal(0, broker.Server.ForwardedRequests);
        b.Heard();
        a.Say($"PUB {reply} 4\r\nlate\r\n");
        Assert.Equal("", b.Heard());
    }

    [Fact]
    public void Monitoring_uses_the_same_clock()
    {
        using var broker = new DrivenBroker(o => o.PingInterval = TimeSpan.FromHours(10));
        DateTime begin = broker.Now;
        DrivenBroker.Client client = broker.Connect("");
        broker.Pass(0.25 * Second);
        client.Say(Quiet);
        broker.Pass(10 * Second);
        client.Say("PUB a 0\r\n\r\n");
        broker.Pass(TimeSpan.FromHours(1));
        DrivenBroker.Client later = broker.Connect(Quiet);
        broker.Pass(Minute);

        List<ConnectionDescription> byIdle = [.. Connections(broker, ConnectionStates.Open, ConnectionOrder.Idle)];
        ConnectionDescription first = byIdle.Single(c => c.Id == 1);
        Assert.Equal((begin, begin + (10.25 * Second), 0.25 * Second), (first.Started, first.LastActivity, first.RoundTrip!.Value));
        Assert.Equal([1UL, 2UL], byIdle.Select(c => c.Id));
        ServerDescription facts = broker.Server.Inspect();
        Assert.Equal((begin, broker.Now), (facts.Started, facts.Now));
        later.Connection.Close();
        broker.Turn();
        Assert.Equal(broker.Now, Assert.Single(Connections(broker, ConnectionStates.Closed)).Stopped);
    }

    private static IReadOnlyList<ConnectionDescription> Connections(DrivenBroker broker, ConnectionStates states, ConnectionOrder order = ConnectionOrder.Id)
        => DrivenBroker.Done(broker.Server.InspectConnectionsAsync(new ConnectionQuery { States = states, Order = order }, CancellationToken.None)).Connections;
}
