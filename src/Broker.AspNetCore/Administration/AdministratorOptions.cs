using System.Security.Cryptography;
using System.Text;
using Broker.Server;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Broker.AspNetCore;

/// <summary>
/// Lets an administrator of the live page close connections, reload the configuration, begin lame duck mode and change
/// routes. Set <see cref="Name"/> and <see cref="PasswordHash"/>, or <see cref="Token"/>.
/// </summary>
public sealed class AdministratorOptions
{
    /// <summary>The shortest <see cref="Token"/>, in characters.</summary>
    public const int MinTokenLength = 16;

    /// <summary>
    /// The longest <see cref="Token"/>, in characters. A longer password or token is wrong without being verified.
    /// </summary>
    public const int MaxTokenLength = 256;

    /// <summary>The name of the administrator.</summary>
    public string? Name { get; set; }

    /// <summary>The bcrypt hash of the administrator's password.</summary>
    public string? PasswordHash { get; set; }

    /// <summary>
    /// Verifies <see cref="PasswordHash"/>. The package <c>Broker.Cryptography</c> has an implementation.
    /// </summary>
    public IPasswordVerifier? PasswordVerifier { get; set; }

    /// <summary>
    /// A random text in place of a name and a password; at least <see cref="MinTokenLength"/> characters.
    /// </summary>
    public string? Token { get; set; }

    /// <summary>The logger for each log-in and each action, with the administrator's name. Default: no logging.</summary>
    public ILogger Logger { get; set; } = NullLogger.Instance;

    /// <summary>
    /// Begins lame duck mode: clients are asked to move to other servers, and the program ends afterwards. The task
    /// completes when the mode has begun. Null, the default, means that the page has no button for it.
    /// </summary>
    public Func<Task>? EnterLameDuck { get; set; }

    /// <summary>
    /// Changes the route with this name, which is on the page <c>/bridgez</c>. An exception explains why this is not
    /// possible. Null, the default, means that the page has no buttons for it.
    /// </summary>
    public Func<string, RouteChange, Task>? ChangeRoute { get; set; }

    /// <exception cref="ArgumentException">The credentials are missing or not valid.</exception>
    internal void Validate()
    {
        ArgumentNullException.ThrowIfNull(Logger);
        if (Token is not null)
        {
            if (Name is not null || PasswordHash is not null)
            {
                throw new ArgumentException($"The administrator has a {nameof(Token)} or a {nameof(Name)} with a {nameof(PasswordHash)}, not both.");
            }

            if (Token.Length is < MinTokenLength or > MaxTokenLength)
            {
                throw new ArgumentException($"The administrator's {nameof(Token)} must have {MinTokenLength} to {MaxTokenLength} characters.");
            }
        }
        else if (string.IsNullOrEmpty(Name) || PasswordHash is null)
        {
            throw new ArgumentException($"The administrator needs a {nameof(Name)} and a {nameof(PasswordHash)}, or a {nameof(Token)}.");
        }
        else if (PasswordVerifier is null)
        {
            throw new ArgumentException(
                $"The administrator needs a {nameof(PasswordVerifier)} for the {nameof(PasswordHash)}, for example of the package Broker.Cryptography.");
        }
        else if (!PasswordVerifier.IsValid(PasswordHash))
        {
            throw new ArgumentException($"The administrator's {nameof(PasswordHash)} is not a valid bcrypt hash.");
        }
    }

    /// <summary>
    /// Returns the administrator's name if the credentials are right; otherwise null. A wrong name takes as long as a
    /// wrong password.
    /// </summary>
    internal string? Verify(string name, string secret)
    {
        if (secret.Length is 0 or > MaxTokenLength || name.Length > MaxTokenLength)
        {
            return null;
        }

        if (Token is not null)
        {
            return IsSame(secret, Token) && name.Length == 0 ? "token" : null;
        }

        bool isPassword = PasswordVerifier!.Verify(Encoding.UTF8.GetBytes(secret), PasswordHash!);
        return IsSame(name, Name!) && isPassword ? Name : null;
    }

    // Digests have the same length, so the time of the comparison does not reveal the length.
    private static bool IsSame(string one, string other)
        => CryptographicOperations.FixedTimeEquals(SHA256.HashData(Encoding.UTF8.GetBytes(one)), SHA256.HashData(Encoding.UTF8.GetBytes(other)));
}
