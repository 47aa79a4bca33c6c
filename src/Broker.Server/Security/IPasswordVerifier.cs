namespace Broker.Server;

/// <summary>
/// Verifies passwords with bcrypt hashes. The package <c>Broker.Cryptography</c> contains an implementation.
/// </summary>
/// <remarks>
/// The server calls the verifier on thread-pool threads. Bcrypt is slow by design, so the number of simultaneous calls
/// is at most half the number of processors.
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
