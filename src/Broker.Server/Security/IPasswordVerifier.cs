namespace Broker.Server;

/// <summary>
/// Verifies passwords with bcrypt hashes. The package <c>Broker.Cryptography</c> contains an implementation.
/// </summary>
/// <remarks>
/// The server calls it on thread-pool threads, at the same time on at most half as many as there are processors. Bcrypt
/// is slow by design.
/// </remarks>
public interface IPasswordVerifier
{
    /// <summary>Whether a text is a valid bcrypt hash. Called when the server checks its options.</summary>
    bool IsValid(string hash);

    /// <summary>Whether a password belongs to a hash. The comparison takes constant time.</summary>
    /// <param name="password">The password as UTF-8. Bcrypt only uses the first 72 bytes.</param>
    /// <param name="hash">A hash for which <see cref="IsValid"/> returns true.</param>
    bool Verify(ReadOnlySpan<byte> password, string hash);
}
