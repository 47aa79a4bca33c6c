using Broker.Cli.Serving;
using Broker.Server;

namespace Broker.Cli.Tests.Serving;

/// <summary>Tests the bridge's user in a server with users.</summary>
public sealed class BridgeUserTests
{
    private static readonly Permissions Sensor = new() { Publish = new SubjectPermissions { Allow = ["zmq.a"] }, Subscribe = new SubjectPermissions { Allow = [] } };
    private static readonly Permissions Display = new() { Publish = new SubjectPermissions { Allow = [] }, Subscribe = new SubjectPermissions { Allow = ["zmq.>"] } };

    [Fact]
    public void Publishers_publish_what_theirs_may_and_subscribers_get_what_theirs_may()
    {
        var security = new SecuritySettings { Users = [new User("sensor", "p", Sensor), new User("display", "p", Display)] };
        var bridge = new BridgeUser();

        User user = bridge.AddTo(security, new ZeroMqSettings { PublishersUser = "sensor", SubscribersUser = "display" }).Users[^1];

        Assert.Equal(bridge.Name, user.Name);
        Assert.Equal(["zmq.a"], user.Permissions!.Publish.Allow);
        Assert.Equal(["zmq.>"], user.Permissions.Subscribe.Allow);
    }

    [Fact]
    public void It_is_in_the_account_of_its_users_with_the_default_permissions_there()
    {
        var account = new AccountOptions("A") { Users = [new User("a", "p")], DefaultPermissions = Sensor };
        var security = new SecuritySettings { Accounts = [account, new AccountOptions("B")] };

        SecuritySettings added = new BridgeUser().AddTo(security, new ZeroMqSettings { PublishersUser = "a", SubscribersUser = "a" });

        Assert.Empty(added.Users);
        Assert.Equal(["zmq.a"], Assert.Single(added.Accounts[0].Users, u => u.Name != "a").Permissions!.Publish.Allow);
        Assert.Empty(added.Accounts[1].Users);
    }

    [Fact]
    public void Without_users_it_may_everything_and_where_nobody_must_be_somebody_it_is_nobody()
    {
        var none = new SecuritySettings();

        Assert.Same(none, new BridgeUser().AddTo(none, new ZeroMqSettings()));
        Assert.Null(Assert.Single(new BridgeUser().AddTo(new SecuritySettings { Token = "t" }, new ZeroMqSettings()).Users).Permissions!.Publish.Allow);
    }

    [Fact]
    public void Users_that_are_not_there_or_of_two_accounts_are_a_problem()
    {
        var security = new SecuritySettings
        {
            Accounts = [new AccountOptions("A") { Users = [new User("a", "p")] }, new AccountOptions("B") { Users = [new User("b", "p")] }],
        };

        Assert.Null(BridgeUser.Problem(security, new ZeroMqSettings { PublishersUser = "a", SubscribersUser = "a" }));
        Assert.Contains("must be in the same account", BridgeUser.Problem(security, new ZeroMqSettings { PublishersUser = "a", SubscribersUser = "b" }), StringComparison.Ordinal);
        Assert.Contains("does not exist", BridgeUser.Problem(null, new ZeroMqSettings { PublishersUser = "a", SubscribersUser = "a" }), StringComparison.Ordinal);
    }
}
