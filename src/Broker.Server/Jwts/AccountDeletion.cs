namespace Broker.Server;

/// <summary>The effect of a request to delete an account on its file.</summary>
public enum AccountDeletion
{
    /// <summary>Requests to delete accounts are refused.</summary>
    Refused,

    /// <summary>The file keeps its content and gets the ending <c>.jwt.deleted</c>.</summary>
    Renames,

    /// <summary>The file is removed.</summary>
    Removes,
}
