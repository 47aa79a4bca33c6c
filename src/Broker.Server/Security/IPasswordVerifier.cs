namespace Broker.Server.Security;

/// <summary>Checks passwords against bcrypt hashes. The package <c>Broker.Cryptography</c> has one.</summary>
/// <remarks>Called on thread-pool threads, by as many at a time as half the processors; slow by design.</remarks>
public interface IPasswordVerifier
{
    /// <summary>Whether it can read the hash. Asked when users are given to a server.</summary>
    bool IsValid(string hash);

    /// <summary>Whether the hash is of the password, compared in constant time.</summary>
    /// <param name="password">UTF-8; of more than 72 bytes bcrypt sees the first 72.</param>
    /// <param name="hash">A hash that <see cref="IsValid"/> is true of.</param>
    bool Verify(ReadOnlySpan<byte> password, string hash);
}
