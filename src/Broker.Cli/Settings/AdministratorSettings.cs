namespace Broker.Cli.Settings;

/// <summary>The administrator of the live page: a name and the hash of a password, or a token.</summary>
internal sealed record AdministratorSettings(string? User, string? PasswordHash, string? Token)
{
    /// <summary>Returns a text for logs, without the password and the token.</summary>
    public override string ToString() => $"{nameof(AdministratorSettings)} {{ User = {User}, HasToken = {Token is not null} }}";
}
