namespace Broker.Server.Security;

/// <summary>The users of one account.</summary>
/// <param name="Account">Its name.</param>
/// <param name="Users">Who is in it.</param>
/// <param name="DefaultPermissions">What those may do that have no permissions of their own; null for what the server says.</param>
internal sealed record UserGroup(string Account, IReadOnlyList<User> Users, Permissions? DefaultPermissions);
