namespace Broker.Server;

/// <summary>The users of one account.</summary>
/// <param name="Account">The name of the account.</param>
/// <param name="Users">The users of the account.</param>
/// <param name="DefaultPermissions">
/// The permissions of users without permissions of their own; null for the server's default.
/// </param>
internal sealed record UserGroup(string Account, IReadOnlyList<User> Users, Permissions? DefaultPermissions);
