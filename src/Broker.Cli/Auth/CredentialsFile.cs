using Broker.Cli.Shell;
using Broker.Cryptography;

namespace Broker.Cli.Auth;

/// <summary>The file with which a client logs in: the JWT of a user and the seed that proves it.</summary>
internal static class CredentialsFile
{
    /// <summary>Returns the file of a user: the one that is given, or the name of the user with <c>.creds</c>.</summary>
    /// <exception cref="UsageException">The name of the user is no name of a file.</exception>
    public static string PathOf(string? given, string name, bool isWithSeed)
        => AuthFile.PathOf(given, name, isWithSeed ? ".creds" : ".jwt") ?? throw new UsageException("--out is missing: the credentials file of the user, whose name is no name of a file");

    /// <summary>Checks that the file may be written: it does not exist, has the same user, or is to be replaced.</summary>
    /// <exception cref="AuthException">The file exists and has something else.</exception>
    public static void CheckFree(string file, string user, bool replace)
    {
        if (!replace && File.Exists(file) && !HasUser(file, user))
        {
            throw new AuthException($"the file {file} exists; --out names another one, and --replace replaces it");
        }
    }

    public static void Write(string file, Token user, NkeyPair keys) => AuthFile.Write(file, $"""
        -----BEGIN NATS USER JWT-----
        {user.Text}
        ------END NATS USER JWT------

        The seed below proves who the user is. Keep this file secret.

        -----BEGIN USER NKEY SEED-----
        {keys.ExportSeed()}
        ------END USER NKEY SEED------

        """.ReplaceLineEndings("\n"));

    private static bool HasUser(string file, string user)
    {
        try
        {
            return AuthFile.ReadToken(file) is { Kind: "user" } token && token.Subject == user;
        }
        catch (AuthException)
        {
            return false;
        }
    }
}
