using System.Text;

namespace Broker.Server;

/// <summary>
/// Answers the requests about the JWTs of accounts that nsc sends, as nats-server 2.15 does. Unlike nats-server, it
/// verifies a JWT before it stores it, and refuses one that is older than the stored one.
/// </summary>
internal sealed class ClaimRequests(ServerCore core, AccountUpdates updates, AccountLoader loader, AccountFiles files, SystemJson json)
{
    /// <summary>Whether the server holds all accounts, so that it answers requests for their JWTs.</summary>
    internal bool HoldsAll => !files.Options.IsCache;

    private OperatorMode Tokens => (OperatorMode)core.Security.Tokens!;

    private string Update => HoldsAll ? "jwt update" : "jwt update cache";

    /// <summary>Answers a request with any number of messages. Does not throw.</summary>
    /// <param name="request">The request.</param>
    /// <param name="reply">Publishes one message of the answer.</param>
    internal async Task AnswerAsync(ClaimRequest request, Action<byte[]> reply)
    {
        try
        {
            switch (request.Kind)
            {
                case "UPDATE":
                    reply(await UpdateAsync(request.Account, Encoding.ASCII.GetString(request.Body)).ConfigureAwait(false));
                    break;
                case "DELETE":
                    reply(await DeleteAsync(Encoding.ASCII.GetString(request.Body)).ConfigureAwait(false));
                    break;
                case "LIST":
                    reply(json.AccountList(files.Accounts));
                    break;
                case "LOOKUP" when PublicKey.IsValid(request.Account, KeyKind.Account):
                    reply(files.TryRead(request.Account!, out string? found) ? Encoding.ASCII.GetBytes(found) : []);
                    break;
                case "PACK":
                    Pack(request.Body, reply);
                    break;
            }
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            core.Log.Fault(e);
            reply(json.PageError("the server could not answer"));
        }
    }

    /// <summary>
    /// Stores and applies the JWT of an account that another server has sent, if it is newer than the stored one and
    /// than a deletion.
    /// </summary>
    internal async Task MergeAsync(string account, string text)
    {
        if (files.Has(account, text))
        {
            return;
        }

        try
        {
            AccountClaims claims = Tokens.ReadTrusted(text);
            if (!string.Equals(account, claims.Key, StringComparison.Ordinal))
            {
                throw new JwtException($"\"sub\" is {claims.Key}");
            }

            await loader.Order.WaitAsync().ConfigureAwait(false);
            try
            {
                if (files.TryRead(account, out string? stored) ? !IsOlder(stored, claims, text) : loader.IsDeleted(claims))
                {
                    return;
                }

                await StoreAsync(claims, text).ConfigureAwait(false);
            }
            finally
            {
                loader.Order.Release();
            }

            core.Log.AccountChanged(account, "updated by another server");
        }
        catch (Exception e) when (e is JwtException or IOException or UnauthorizedAccessException)
        {
            core.Log.AccountRefused(PublicKey.IsValid(account, KeyKind.Account) ? account : null, $"the JWT of another server is not stored: {e.Message}");
        }
    }

    // If two JWTs were issued in the same second, all servers keep the same one.
    private bool IsOlder(string stored, AccountClaims claims, string text)
    {
        try
        {
            long issued = Tokens.ReadTrusted(stored).Jwt.IssuedAt;
            return issued < claims.Jwt.IssuedAt || (issued == claims.Jwt.IssuedAt && string.CompareOrdinal(stored, text) < 0);
        }
        catch (JwtException)
        {
            return true;
        }
    }

    private async Task StoreAsync(AccountClaims claims, string text)
    {
        files.Save(claims.Key, text);
        if (Tokens.IsInUse(claims.Key) || updates.IsImported(claims.Key))
        {
            await loader.UseAsync([claims]).ConfigureAwait(false);
        }
    }

    private async Task<byte[]> UpdateAsync(string? named, string text)
    {
        AccountClaims claims;
        try
        {
            claims = Tokens.ReadTrusted(text.Trim());
        }
        catch (JwtException e)
        {
            return Refuse(named, e.Message);
        }

        if (named is not null && !string.Equals(named, claims.Key, StringComparison.Ordinal))
        {
            return Refuse(named, "subject does not match jwt content");
        }

        await loader.Order.WaitAsync().ConfigureAwait(false);
        try
        {
            if (!HoldsAll && !Tokens.IsInUse(claims.Key))
            {
                return json.ClaimsDone(claims.Key, "jwt update cache skipped");
            }

            if (files.TryRead(claims.Key, out string? stored) && WhyNotInPlaceOf(stored, claims) is { } why)
            {
                return Refuse(claims.Key, why);
            }

            await StoreAsync(claims, text.Trim()).ConfigureAwait(false);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            core.Log.AccountRefused(claims.Key, $"its JWT cannot be stored: {e.Message}");
            return Refuse(claims.Key, $"the JWT cannot be stored: {e.Message}");
        }
        finally
        {
            loader.Order.Release();
        }

        core.Log.AccountChanged(claims.Key, "updated");
        return json.ClaimsDone(claims.Key, HoldsAll ? "jwt updated" : "jwt updated cache");
    }

    // A file that is damaged, or that no trusted operator has signed, may always be replaced.
    private string? WhyNotInPlaceOf(string stored, AccountClaims claims)
    {
        try
        {
            return Tokens.ReadTrusted(stored).Jwt.IssuedAt > claims.Jwt.IssuedAt ? "a newer jwt of this account is stored" : null;
        }
        catch (JwtException)
        {
            return null;
        }
    }

    private byte[] Refuse(string? account, string why)
    {
        core.Log.AccountRefused(account, $"an update was refused: {why}");
        return json.ClaimsError(account ?? "n/a", $"{Update} resulted in error - {why}");
    }

    private async Task<byte[]> DeleteAsync(string text)
    {
        string issuer = "";
        string why;
        IReadOnlyList<string> accounts = [];
        try
        {
            Tokens.ReadRequest(text.Trim(), out issuer, out accounts);
            why = HoldsAll && files.Options.Deletion == AccountDeletion.Refused ? "delete must be enabled in server config"
                : !accounts.All(static a => PublicKey.IsValid(a, KeyKind.Account)) ? "malformed request"
                : accounts.Contains(Tokens.SystemAccount, StringComparer.Ordinal) ? "not allowed to delete system account"
                : "";
        }
        catch (JwtException e)
        {
            why = e.Message;
        }

        if (why.Length != 0)
        {
            core.Log.AccountRefused(null, $"a request to delete accounts was refused: {why}");
            return json.ClaimsError(null, $"delete accounts request by {issuer} failed - {why}");
        }

        await loader.Order.WaitAsync().ConfigureAwait(false);
        try
        {
            var problems = new List<string>();
            var deleted = new List<string>();
            foreach (string account in accounts)
            {
                try
                {
                    files.Delete(account);
                    deleted.Add(account);
                }
                catch (Exception e) when (e is IOException or UnauthorizedAccessException)
                {
                    core.Log.AccountRefused(account, $"its file cannot be deleted: {e.Message}");
                    problems.Add(e.Message);
                }
            }

            await updates.ApplyAsync([], deleted).ConfigureAwait(false);
            deleted.ForEach(account => core.Log.AccountChanged(account, "deleted"));
            return problems.Count == 0
                ? json.ClaimsDone(null, $"deleted {deleted.Count} accounts")
                : json.ClaimsError(null, $"deleted {deleted.Count} accounts, failed for {problems.Count}: {problems[0]}");
        }
        finally
        {
            loader.Order.Release();
        }
    }

    // The last message is empty. A requester with the same accounts receives only this one.
    private void Pack(byte[] hash, Action<byte[]> reply)
    {
        if (!hash.AsSpan().SequenceEqual(files.Hash))
        {
            foreach (string account in files.Accounts)
            {
                if (files.TryRead(account, out string? jwt))
                {
                    reply(Encoding.ASCII.GetBytes($"{account}|{jwt}"));
                }
            }
        }

        reply([]);
    }
}
