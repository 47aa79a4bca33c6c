using System.Security.Cryptography;
using Broker.Server;

namespace Broker.Cli.Serving;

/// <summary>
/// The user of the bridge in a server whose clients must authenticate. Its random name and password keep other clients
/// from using it. It is in the same account as the users for ZeroMQ publishers and subscribers, and it has the
/// permissions of these users.
/// </summary>
internal sealed class BridgeUser
{
    public string Name { get; } = "zeromq-" + RandomNumberGenerator.GetHexString(16);

    public string Password { get; } = RandomNumberGenerator.GetHexString(32);

    /// <summary>Returns the error in the users that are set for publishers and subscribers, or null.</summary>
    public static string? Problem(SecuritySettings? security, ZeroMqSettings zeroMq)
    {
        foreach (string? user in (ReadOnlySpan<string?>)[zeroMq.PublishersUser, zeroMq.SubscribersUser])
        {
            if (user is not null && security?.AllUsers.Any(u => u.Name == user) is not true)
            {
                return $"the user \"{user}\" of \"zeromq\" does not exist";
            }
        }

        return zeroMq is { PublishersUser: { } publishers, SubscribersUser: { } subscribers }
            && AccountOf(security!, publishers) != AccountOf(security!, subscribers)
            ? $"the users \"{publishers}\" and \"{subscribers}\" of \"zeromq\" must be in the same account"
            : null;
    }

    /// <summary>Returns the settings with this user added, if clients must authenticate.</summary>
    public SecuritySettings AddTo(SecuritySettings security, ZeroMqSettings zeroMq)
    {
        if (!security.IsRequired || zeroMq.Connection is not null)
        {
            return security;
        }

        if (zeroMq is not { PublishersUser: { } publishers, SubscribersUser: { } subscribers })
        {
            return security with { Users = [.. security.Users, new User(Name, Password, new Permissions())] };
        }

        AccountOptions? account = AccountOf(security, publishers);
        Permissions publish = PermissionsOf(security, account, publishers);
        var permissions = new Permissions
        {
            Publish = publish.Publish,
            Responses = publish.Responses,
            Subscribe = PermissionsOf(security, account, subscribers).Subscribe,
        };
        var user = new User(Name, Password, permissions);
        return account is null
            ? security with { Users = [.. security.Users, user] }
            : security with { Accounts = [.. security.Accounts.Select(a => a == account ? With(a, user) : a)] };
    }

    private static AccountOptions? AccountOf(SecuritySettings security, string user)
        => security.Accounts.FirstOrDefault(a => a.Users.Any(u => u.Name == user));

    private static Permissions PermissionsOf(SecuritySettings security, AccountOptions? account, string user)
        => security.AllUsers.First(u => u.Name == user).Permissions
            ?? account?.DefaultPermissions
            ?? security.DefaultPermissions
            ?? new Permissions();

    private static AccountOptions With(AccountOptions account, User user) => new(account.Name)
    {
        Users = [.. account.Users, user],
        DefaultPermissions = account.DefaultPermissions,
        Exports = account.Exports,
        Imports = account.Imports,
        Mappings = account.Mappings,
    };
}
