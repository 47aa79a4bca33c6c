namespace Broker.Server;

/// <summary>What happens to the file of an account that a request deletes.</summary>
public enum AccountDeletion
{
    /// <summary>Requests to delete accounts are refused.</summary>
    Refused,

    /// <summary>The file keeps its content and gets the ending <c>.jwt.deleted</c>.</summary>
    Renames,

    /// <summary>The file is removed.</summary>
    Removes,
}
